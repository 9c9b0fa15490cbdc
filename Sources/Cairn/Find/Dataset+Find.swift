public import CairnDocument
internal import CairnMerge
internal import CairnSync
internal import SystemPackage

extension Dataset {
  /// Returns the photos that match a query.
  ///
  /// ```swift
  /// let query = try PhotoQuery("label:heather taken:2026")
  /// let latest = try dataset.find(query, by: .taken, limit: 20)
  /// print("\(latest.count) photos")
  /// ```
  ///
  /// - Parameter isReversed: Whether to reverse the order.
  /// - Parameter offset: The number of results to skip.
  /// - Parameter limit: The maximum number of results.
  /// - Throws: ``CairnError/Kind/notFound`` when the query names a class, a pin, an annotator or a
  ///   photo that does not exist.
  public func find(
    _ query: PhotoQuery, by order: PhotoOrder = .id, isReversed: Bool = false, offset: Int = 0,
    limit: Int? = nil
  ) throws(CairnError) -> [PhotoID] {
    try translating {
      if order == .added { try updateAddedTimes() }
      let similar = try similarPhotos(in: query)
      return try self.query(resolved: true) { index in
        try index.photos(
          where: try filter(query, similar, index), by: order, isReversed: isReversed,
          offset: offset, limit: limit)
      }
    }
  }

  /// Returns the photos that a query selects for a command that changes them.
  ///
  /// - Throws: ``CairnError/Kind/notFound`` when no photo matches, ``CairnError/Kind/invalidInput``
  ///   when the query, or part of it, is empty.
  public func photosToChange(_ query: PhotoQuery) throws(CairnError) -> [PhotoID] {
    let found = try find(query.selecting())
    if found.isEmpty {
      throw CairnError(
        .notFound, "No photos match; nothing was changed.",
        hint: "Test the query with `cairn find`.")
    }
    return found
  }

  /// Returns the number of photos that match a query.
  public func count(_ query: PhotoQuery) throws(CairnError) -> Int {
    try translating {
      let similar = try similarPhotos(in: query)
      return try self.query(resolved: true) {
        try $0.photoCount(where: try filter(query, similar, $0))
      }
    }
  }

  /// Calls `visit` for each photo that matches a query, with its resolutions. All matches are found
  /// first; then photos are read in pages. `visit` may query and edit the dataset.
  public func forEachPhoto(
    _ query: PhotoQuery, by order: PhotoOrder = .id, isReversed: Bool = false, offset: Int = 0,
    limit: Int? = nil, _ visit: (FoundPhoto) throws -> Void
  ) throws(CairnError) {
    try translating {
      if order == .added { try updateAddedTimes() }
      let similar = try similarPhotos(in: query)
      let keys = try self.query(resolved: true) { index in
        try index.photoKeys(
          where: try filter(query, similar, index), by: order, isReversed: isReversed,
          offset: offset, limit: limit)
      }
      for start in stride(from: 0, to: keys.count, by: Dataset.foundPageSize) {
        // Read the whole page before visiting it: the database cannot be read within a read.
        let page = keys[start..<min(start + Dataset.foundPageSize, keys.count)]
        for photo in try queryAgain({ try $0.found(page) }) { try visit(photo) }
      }
    }
  }

  private static let foundPageSize = 500

  // MARK: Resolving names

  func filter(
    _ query: PhotoQuery, _ similar: [SimilarityTerm: [PhotoID]], _ index: IndexReader
  ) throws -> PhotoFilter {
    var names = QueryNames(dataset: self, index: index, similar: similar)
    return try names.filter(query, isTop: true)
  }

  /// Finds the photos similar to those that a query names; called before the index is read.
  func similarPhotos(in query: PhotoQuery) throws -> [SimilarityTerm: [PhotoID]] {
    var found: [SimilarityTerm: [PhotoID]] = [:]
    for term in query.similarityTerms where found[term] == nil {
      let photo = try photoID(term.photo, relativeTo: term.directory ?? root)
      found[term] =
        switch term.similarity {
        case .hash(let distance): try similarPhotos(to: photo, within: distance).map(\.id)
        case .features(let labeler, let count):
          try nearestPhotos(to: photo, labeler: labeler, count: count)
        }
    }
    return found
  }
}

/// A search term for photos similar to a photo.
struct SimilarityTerm: Hashable {
  let photo: String
  let directory: FilePath?
  let similarity: Similarity
}

/// What makes photos similar.
package enum Similarity: Hashable, Sendable {
  /// At most a number of differing bits in their perceptual hashes.
  case hash(distance: Int)
  /// The most similar features of a trained model, as many photos as `count`.
  case features(labeler: String, count: Int)
}

extension PhotoQuery {
  fileprivate var similarityTerms: [SimilarityTerm] {
    switch expression {
    case .all(let queries), .any(let queries): queries.flatMap(\.similarityTerms)
    case .not(let query): query.similarityTerms
    case .term(let term): term.similarityTerm.map { [$0] } ?? []
    }
  }
}

extension PhotoQuery.Term {
  var similarityTerm: SimilarityTerm? {
    guard case .similar(let photo, let directory, let similarity) = self else { return nil }
    return SimilarityTerm(photo: photo, directory: directory, similarity: similarity)
  }
}

extension CairnError {
  static let brokenIndex = CairnError(
    .internalError, "The index database became invalid while it was read.", hint: "Try again.")
}
