package import CairnDocument

/// What speaks for a class on a photo that nobody labeled.
package struct ClassCandidate: Equatable, Sendable {
  package let classKey: ClassKey
  /// The highest confidence of a model in it; nil if none predicts it.
  package var confidence: Double?
  /// The number of photos nearby that have it.
  package var nearby = 0
  /// The number of recent answers that chose it.
  package var recent = 0
  /// The number of photos of the dataset that have it.
  package var photos = 0

  package init(_ classKey: ClassKey) { self.classKey = classKey }
}

extension [ClassCandidate] {
  /// Returns the most likely candidates first: predictions by confidence, then the classes of photos
  /// nearby and of recent answers, then those that most photos have.
  package func ranked(limit: Int) -> [ClassCandidate] {
    Array(sorted { $0.precedes($1) }.prefix(limit))
  }
}

extension ClassCandidate {
  fileprivate func precedes(_ other: ClassCandidate) -> Bool {
    let (mine, others) = (confidence ?? -1, other.confidence ?? -1)
    if mine != others { return mine > others }
    let (near, otherNear) = (nearby + recent, other.nearby + other.recent)
    if near != otherNear { return near > otherNear }
    return photos == other.photos ? classKey < other.classKey : photos > other.photos
  }
}
