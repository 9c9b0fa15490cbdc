/// The calibration of confidences: how often labels with some confidence are correct.
///
/// Confidences are sorted into ten bins of equal width; a confidence on an edge goes into the lower
/// bin.
///
/// Source: C. Guo, G. Pleiss, Y. Sun and K. Q. Weinberger, “On calibration of modern neural
/// networks”, 2017, section 2; M. P. Naeini, G. F. Cooper and M. Hauskrecht, “Obtaining well
/// calibrated probabilities using Bayesian binning”, 2015.
package struct Calibration: Equatable, Sendable {
  /// The number of bins.
  package static let binCount = 10

  /// The predictions whose confidence is in one range.
  package struct Bin: Equatable, Sendable {
    /// The number of predictions.
    package internal(set) var count = 0
    /// The number of those that are right.
    package internal(set) var hits = 0
    /// The sum of confidences, in units of 2⁻⁴⁰: the sum of integers does not depend on their
    /// order.
    var sum: Int64 = 0

    /// The mean confidence; nil if the bin is empty.
    package var confidence: Double? {
      count > 0 ? Double(sum) / Bin.unit / Double(count) : nil
    }

    /// The share that is correct; nil if the bin is empty.
    package var accuracy: Double? { count > 0 ? Double(hits) / Double(count) : nil }

    static let unit = Double(Int64(1) << 40)
  }

  /// The bins, from low to high confidence.
  package private(set) var bins = [Bin](repeating: Bin(), count: binCount)

  package init() {}

  /// Returns the lower edge of a bin; 1 for the index after the last.
  package static func edge(_ bin: Int) -> Double { Double(bin) / Double(binCount) }

  /// Adds one label with `confidence`, 0 to 1.
  package mutating func add(confidence: Double, isTrue: Bool) {
    let confidence = min(max(confidence, 0), 1)
    let bin = (1..<Calibration.binCount).count { Calibration.edge($0) < confidence }
    bins[bin].count += 1
    if isTrue { bins[bin].hits += 1 }
    bins[bin].sum += Int64((confidence * Bin.unit).rounded())
  }

  /// Adds the counts of another calibration.
  package mutating func add(_ other: Calibration) {
    for bin in bins.indices {
      bins[bin].count += other.bins[bin].count
      bins[bin].hits += other.bins[bin].hits
      bins[bin].sum += other.bins[bin].sum
    }
  }

  /// The number of predictions in all bins.
  package var count: Int { bins.reduce(0) { $0 + $1.count } }

  /// The expected calibration error: the mean, over all labels, of the difference between the mean
  /// confidence and the accuracy of their bin; nil without any.
  package var error: Double? {
    let total = count
    if total == 0 { return nil }
    return bins.reduce(0) { sum, bin in
      guard let confidence = bin.confidence, let accuracy = bin.accuracy else { return sum }
      return sum + Double(bin.count) / Double(total) * abs(accuracy - confidence)
    }
  }
}
