public import CairnDocument
internal import CairnIndex
internal import CairnMerge
public import CairnReview
internal import CairnSync

// Photos that nobody labeled, and predictions that nobody has confirmed.

extension PhotoQuery {
  /// Whether all photos that match have no labels that count: `is:unlabeled` is one of the terms
  /// that must match.
  public var isOfUnlabeled: Bool {
    switch expression {
    case .term(let term): term == .flag(.unlabeled)
    case .all(let queries): queries.contains(where: \.isOfUnlabeled)
    case .any(let queries): !queries.isEmpty && queries.allSatisfy(\.isOfUnlabeled)
    case .not: false
    }
  }
}

/// A class that models predict on a photo, and nobody has labeled.
public struct PredictedClass: Sendable {
  /// The photo.
  public let photo: Photo
  /// The class.
  public let classKey: ClassKey
  /// The display name of the class.
  public let name: String
  /// Between 0 and 1.
  public let confidence: Double
}

extension Dataset {
  /// Returns the photos that nobody labeled, latest first, so that photos taken together follow each
  /// other. Omits photos whose metadata was erased from the history, which cannot get labels.
  public func unlabeledPhotos(
    _ query: PhotoQuery, shard: ReviewShard? = nil, limit: Int = reviewSessionLimit
  ) throws(CairnError) -> [PhotoID] {
    let all = PhotoQuery.all([.term(.flag(.unlabeled)), query])
    return try translating {
      let erased = try replica.erasedFacts().metadata
      if shard == nil, erased.isEmpty { return try find(all, by: .taken, limit: limit) }
      return Array(
        try find(all, by: .taken)
          .filter { shard?.contains($0) != false && !erased.contains($0) }.prefix(limit))
    }
  }

  /// Returns the predicted classes whose confidence is at least `least` (0 to 1), sorted by class
  /// and, within a class, by confidence, highest first.
  ///
  /// - Parameter className: Only this class; nil for all.
  public func predictedClasses(
    _ query: PhotoQuery?, className: String?, from least: Double
  ) throws(CairnError) -> [PredictedClass] {
    let key = try className.map { (name) throws(CairnError) -> ClassKey in
      try classKey(name)
    }
    let label = key.map { PhotoQuery.term(.label($0.text)) }
    let predicted = PhotoQuery.term(.states([.predicted]))
    let parts = [predicted] + [label, query].compactMap { $0 }
    var found: [PredictedClass] = []
    try forEachPhoto(.all(parts)) { photo in
      for state in photo.resolutions
      where state.state == .predicted && state.confidence >= least
        && (key == nil || state.classKey == key) && state.classKey != .favorite
      {
        found.append(
          PredictedClass(
            photo: photo.photo, classKey: state.classKey, name: state.name,
            confidence: state.confidence))
      }
    }
    return found.sorted {
      if $0.classKey != $1.classKey { return $0.classKey < $1.classKey }
      return $0.confidence == $1.confidence
        ? $0.photo.id < $1.photo.id : $0.confidence > $1.confidence
    }
  }

  /// Confirms predictions as the current user, except those that somebody labeled or that were
  /// withdrawn in the meantime.
  ///
  /// - Returns: The number of labels written.
  @discardableResult
  public func confirm(_ predictions: [PredictedClass]) throws(CairnError) -> Int {
    if predictions.isEmpty { return 0 }
    return try edit("accept", needsPerson: true) { session in
      var assertion = LabelAssertion(.present)
      assertion.keepsConfidence = true
      var count = 0
      let byClass = Dictionary(grouping: predictions, by: \.classKey)
      for (key, group) in byClass.sorted(by: { $0.key < $1.key }) {
        let photos = try group.map(\.photo.id).filter { try isPredicted(key, on: $0) }
        if photos.isEmpty { continue }
        try checkCanGetLabels(photos)
        let results = try label(photos, [key.text], assertion, session, durable: false)
        count += results.count { $0.changed }
      }
      try session.flush()
      return count
    }
  }

  /// Returns whether models predict a class on a visible photo, and nobody has labeled it.
  private func isPredicted(_ key: ClassKey, on id: PhotoID) throws -> Bool {
    guard let photo = try photoIfPresent(id) else { return false }
    let labels = try labels(of: id)
    let evidence = PhotoEvidence(of: id, labels, try resolvingRules(of: labels))
    return Visibility(of: photo, labels: labels).isVisible
      && evidence.resolution(of: key)?.state == .predicted
  }
}
