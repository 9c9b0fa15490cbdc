package import CairnDocument
package import CairnFiles
package import CairnIndex
package import CairnMerge
internal import CairnSync
package import SystemPackage

// Light lists for pages: row keys and rows straight from the index.

/// The order of a list of photos.
package struct ListOrder: Equatable, Sendable {
  package var order = PhotoOrder.id
  package var isReversed = false
  package var grouping = PhotoGrouping.none

  package init() {}
}

extension Dataset {
  /// Reads from the index.
  ///
  /// - Parameter updating: Whether to bring it up to date first. A server that updates it after each
  ///   change reads without: checking costs time for each uncommitted document.
  package func withIndex<Value>(
    updating: Bool, _ body: (IndexReader) throws -> Value
  ) throws(CairnError) -> Value {
    try translating {
      if !updating, let index = unchangedIndex(), let value = try? index.read(body) {
        return value
      }
      return try query(resolved: true, body)
    }
  }

  /// Brings the index and its resolutions up to date.
  package func updateIndex() throws(CairnError) {
    try translating { try query(resolved: true) { _ in } }
  }

  /// Returns the row keys of the photos that match a query, and their groups.
  package func photoKeys(
    _ query: PhotoQuery, in list: ListOrder, updating: Bool = true
  ) throws(CairnError) -> (keys: [PhotoRowKey], groups: [PhotoGroup]) {
    try translating {
      if list.order == .added { try updateAddedTimes() }
      let similar = try similarPhotos(in: query)
      return try withIndex(updating: updating) { index in
        var keys = try index.photoKeys(
          where: try filter(query, similar, index), by: list.order, isReversed: list.isReversed)
        let groups = try index.group(&keys, by: list.grouping, isReversed: list.isReversed)
        return (keys, groups)
      }
    }
  }

  /// Returns the light form of photos, in their order, with the verdicts of the current user;
  /// photos that the index no longer has are left out.
  package func rows(of keys: some Sequence<PhotoRowKey>) throws(CairnError) -> [PhotoRow] {
    try rowsIfPresent(of: keys).compactMap { $0 }
  }

  /// Returns the light form of photos, in their order; nil for one that the index no longer has.
  package func rowsIfPresent(
    of keys: some Sequence<PhotoRowKey>
  ) throws(CairnError) -> [PhotoRow?] {
    let me = try ownAnnotators()
    return try translating {
      try withIndex(updating: false) { try $0.rowsIfPresent(of: keys, for: me) }.map { row in
        guard var row else { return nil }
        row.isLocal = try directory.blobs.size(of: row.id) != nil
        return row
      }
    }
  }

  /// Returns the light form of photos; see ``rows(of:)``.
  package func rows(of photos: [PhotoID]) throws(CairnError) -> [PhotoRow] {
    try rows(of: withIndex(updating: false) { try $0.photoKeys(of: photos) })
  }

  /// Returns whether the thumbnail of a photo is cached.
  package func hasThumbnail(_ id: PhotoID) -> Bool { (try? thumbnailCache.has(id)) ?? false }

  /// Returns the uncommitted changes of a photo and its labels.
  package func uncommittedChanges(of photo: PhotoID) throws(CairnError) -> [DocumentChange] {
    var changes: [DocumentChange] = []
    _ = try diff(photo: photo) { changes += $0.changes }
    return changes
  }

  /// Returns the cells of a table of the photos that match a query.
  package func tableCells(
    _ query: PhotoQuery, _ filter: TableFilter, by order: TableOrder, isReversed: Bool
  ) throws(CairnError) -> [TableCell] {
    try translating {
      let similar = try similarPhotos(in: query)
      return try self.query(resolved: true) { index in
        try index.tableCells(
          of: try self.filter(query, similar, index), filter, by: order, isReversed: isReversed)
      }
    }
  }

  /// Returns the addresses under which the current user has labeled; none if git knows no user.
  package func ownAnnotators() throws(CairnError) -> [Annotator] {
    try translating {
      guard let me = replica.knownPerson() else { return [] }
      let mailmap = Mailmap(try mailmapText())
      let person = mailmap.person(me)
      let annotators = try withIndex(updating: false) { try $0.annotators() }
      return [me] + annotators.filter { $0 != me && mailmap.person($0) == person }
    }
  }

  /// Returns the current user.
  package func currentPerson() throws(CairnError) -> (annotator: Annotator, name: String) {
    try translating { (try replica.person(), try replica.author().name) }
  }

  /// Returns the branch and the last commit, without reading anything else.
  package func headDescription() throws(CairnError) -> (branch: String?, commit: String?) {
    try translating {
      let branch = try replica.repository.headBranch()?.dropFirst("refs/heads/".count)
      return (branch.map(String.init), try replica.repository.head()?.description)
    }
  }

  /// Returns the location of a pin by its id; nil if there is none.
  package func pinIfPresent(_ id: PinID) throws(CairnError) -> Pin? {
    try translating {
      guard case .pin(let pin)? = try readableDocument(at: .pin(id)) else { return nil }
      return pin
    }
  }

  /// Returns the number of documents that changed since the last commit.
  package func uncommittedCount() throws(CairnError) -> Int {
    try translating { try directory.journaledPaths().count }
  }

  package var files: FileSystem { environment.files }

  /// The directory of this device's own data.
  package var deviceDirectory: FilePath { directory.privateDirectory }

  /// Returns whether this or another process has an edit session.
  package func isBeingEdited() throws(CairnError) -> Bool {
    try translating { try directory.isBeingEdited() }
  }

  /// Returns a value that changes before documents of the dataset do: the last commit, and the size
  /// of the journal, to which each edit appends before it writes documents.
  package func changeMark() throws(CairnError) -> String {
    try translating {
      let head = try replica.repository.head()?.description ?? ""
      return "\(head) \(try directory.journalSize())"
    }
  }
}
