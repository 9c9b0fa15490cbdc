package import CairnBase

/// How far two people draw the same boxes of a class, on the photos that both judged.
///
/// Boxes that match (``BoxMatching``) are agreed on. There is no agreement by chance to subtract, as
/// boxes that nobody drew cannot be counted: the F-measure of one person against the other is the
/// same both ways, and approaches kappa the more there is without boxes.
///
/// Source: G. Hripcsak and A. S. Rothschild, “Agreement, the F-measure, and reliability in
/// information retrieval”, 2005.
package struct BoxAgreement: Equatable, Sendable {
  /// The number of photos.
  package private(set) var photos = 0
  /// The number of boxes of the first person.
  package private(set) var first = 0
  /// The number of boxes of the second person.
  package private(set) var second = 0
  /// The number of pairs of boxes that match.
  package private(set) var matched = 0
  /// The sum of the overlaps of pairs, in units of 2⁻⁴⁰: the sum of integers does not depend on
  /// their order.
  private var sum: Int64 = 0

  private static let unit = Double(Int64(1) << 40)

  package init() {}

  /// Adds one photo.
  package mutating func add(_ first: [NormalizedRect], _ second: [NormalizedRect]) {
    let pairs = BoxMatching.pairs(first, second)
    photos += 1
    self.first += first.count
    self.second += second.count
    matched += pairs.count
    for pair in pairs { sum += Int64((pair.overlap * BoxAgreement.unit).rounded()) }
  }

  /// Adds the counts of another agreement.
  package mutating func add(_ other: BoxAgreement) {
    photos += other.photos
    first += other.first
    second += other.second
    matched += other.matched
    sum += other.sum
  }

  /// Twice the number of matching pairs, as a share of all boxes; nil without boxes.
  package var agreement: Double? {
    first + second > 0 ? 2 * Double(matched) / Double(first + second) : nil
  }

  /// The mean overlap (IoU) of pairs that match; nil without any.
  package var overlap: Double? {
    matched > 0 ? Double(sum) / BoxAgreement.unit / Double(matched) : nil
  }
}
