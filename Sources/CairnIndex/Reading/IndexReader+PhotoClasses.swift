package import CairnDocument
internal import CairnMerge
internal import GRDB

/// Which of some classes a photo has.
package struct PhotoClass: Equatable, Sendable {
  /// The index of the class among those that were asked for.
  package let index: Int
  /// Whether people confirmed it; otherwise a model predicted it.
  package let isConfirmed: Bool
  fileprivate let confidence: Double
}

extension IndexReader {
  /// Returns one of some classes for each photo that has any: one that people confirmed, otherwise
  /// one that models predicted; the most confident of these, and the first of equally confident ones.
  ///
  /// Resolutions must be up to date.
  package func photoClasses(among classes: [ClassKey]) throws -> [PhotoRowKey: PhotoClass] {
    var indices: [Int64: Int] = [:]
    for (index, key) in classes.enumerated() {
      if let number = try names.known(key) { indices[number] = index }
    }
    let list = indices.keys.sorted().map(String.init).joined(separator: ", ")
    let rows = try PreparedStatement(
      db, "SELECT photo, class, state, confidence FROM resolution WHERE class IN (\(list))")
    var found: [PhotoRowKey: PhotoClass] = [:]
    while try rows.step() {
      let state = Resolution.State(number: rows.int(2))
      guard state == .confirmed || state == .predicted, let index = indices[rows.int(1)] else {
        continue
      }
      let own = PhotoClass(
        index: index, isConfirmed: state == .confirmed, confidence: rows.double(3))
      let photo = rows.int(0)
      if found[photo].map({ own.precedes($0) }) ?? true { found[photo] = own }
    }
    return found
  }
}

extension PhotoClass {
  fileprivate func precedes(_ other: PhotoClass) -> Bool {
    if isConfirmed != other.isConfirmed { return isConfirmed }
    if confidence != other.confidence { return confidence > other.confidence }
    return index < other.index
  }
}
