internal import CairnDocument
internal import CairnFiles
internal import CairnIndex
internal import CairnStore
internal import CairnSync
public import SystemPackage

extension Dataset {
  /// Returns the photo with the given id, a unique prefix of it with at least 4 digits, the path of
  /// its file, in the dataset or anywhere else, or the name that its file had when it was added.
  ///
  /// An existing file outside of the dataset's images is identified by its content, whatever its
  /// name.
  /// - Parameter base: The directory that a relative path is resolved against.
  public func photoID(_ text: String, relativeTo base: FilePath) throws(CairnError) -> PhotoID {
    try translating { try photoID(text, base, includingFormer: false) }
  }

  /// Returns the photo as ``photoID(_:relativeTo:)`` does, or one that `cairn gc` has removed from the
  /// dataset and that is in its history, if this copy still has the image, or for a whole id.
  public func erasablePhotoID(
    _ text: String, relativeTo base: FilePath
  ) throws(CairnError) -> PhotoID {
    try translating { try photoID(text, base, includingFormer: true) }
  }

  private func photoID(
    _ text: String, _ base: FilePath, includingFormer: Bool
  ) throws -> PhotoID {
    let isHex = text.utf8.allSatisfy {
      ($0 | 0x20) >= 0x61 && ($0 | 0x20) <= 0x66 || 0x30...0x39 ~= $0
    }
    func former(_ prefix: String) throws -> PhotoID? {
      if !includingFormer { return nil }
      let candidates = try replica.formerPhotos(startingWith: prefix.lowercased())
      if candidates.count > 1 { throw CairnError.ambiguousPhoto(text, candidates) }
      return candidates.first
    }
    let isPrefix = isHex && 4...64 ~= text.utf8.count
    if isPrefix {
      let candidates = try photoIDs(startingWith: text.lowercased())
      if candidates.count == 1 { return candidates[0] }
      if candidates.count > 1 { throw CairnError.ambiguousPhoto(text, candidates) }
    }
    let path = base.pushing(FilePath(text))
    guard try directory.files.status(path)?.kind == .regular else {
      if let id = try photoID(fileName: text) { return id }
      if isPrefix, let id = try former(text) { return id }
      throw CairnError.noPhoto(text, isHex: isHex)
    }
    let id = try imageID(path)
    guard try hasPhoto(id) || former(id.description) != nil else {
      throw CairnError.unknownFile(text)
    }
    return id
  }

  /// Returns the id of the image in a file. A file of the dataset may be damaged, and a Git LFS
  /// pointer stands for its image.
  private func imageID(_ path: FilePath) throws -> PhotoID {
    let files = directory.files
    if var inside = files.resolve(path), inside.removePrefix(root),
      case .image(let id, _)? = DocumentPath(inside.string)
    {
      return id
    }
    if let size = try files.status(path)?.size, size < Pointer.sizeLimit,
      let pointer = try files.read(path).flatMap({ Pointer(bytes: $0) })
    {
      return pointer.id
    }
    return try BlobStore.hash(path, files: files)
  }

  private func hasPhoto(_ id: PhotoID) throws -> Bool {
    try replica.read(DocumentPath.photo(id).description) != nil
  }

  /// Directories are named by the first four digits of ids, so one directory has all candidates.
  private func photoIDs(startingWith prefix: String) throws -> [PhotoID] {
    try replica.names(in: DocumentPath.photos(startingWith: prefix))
      .filter { $0.hasPrefix(prefix) && $0.hasSuffix(".json") }
      .compactMap { PhotoID(String($0.dropLast(".json".count))) }
  }

  /// Returns the pin with the given name, id, or unique prefix of the id with at least 4 digits.
  public func pin(_ text: String) throws(CairnError) -> Pin {
    try translating {
      let matching = try query { try $0.pins(matching: text) }
      // A removed pin is returned only if no other pin matches.
      let present = matching.filter { !$0.removed.value }
      let pins = present.isEmpty ? matching : present
      if pins.count == 1 { return pins[0] }
      if pins.isEmpty {
        throw CairnError(
          .notFound, "There is no pin “\(text)”.", hint: "`cairn pin list` lists them.")
      }
      let list = pins.prefix(5).map { "\($0.id) (\($0.name.value))" }.joined(separator: ", ")
      throw CairnError(
        .ambiguous, "“\(text)” matches \(pins.count) pins: \(list).", hint: "Use the id of one.")
    }
  }

  /// Returns the photo's document.
  func photo(_ id: PhotoID) throws -> Photo {
    guard case .photo(let photo) = try replica.document(at: .photo(id)) else {
      throw CairnError.noPhoto(id.short, isHex: true)
    }
    return photo
  }

  /// Returns the photo's document; nil if there is none or it is unreadable.
  func photoIfPresent(_ id: PhotoID) throws -> Photo? {
    guard case .photo(let photo)? = try readableDocument(at: .photo(id)) else { return nil }
    return photo
  }

  /// Returns the photo's labels in the work tree, sorted by file name.
  ///
  /// An unreadable label is skipped; `status` and `verify` report it.
  func labels(of id: PhotoID) throws -> [Label] {
    let names = try ignoringUnreadable { try replica.names(in: DocumentPath.labels(of: id)) } ?? []
    return try labels(names, of: id, readableDocument)
  }

  /// Returns the photo's labels, for callers that write, undo or remove: without one of them, they
  /// would replace it, or remove what it keeps.
  ///
  /// - Throws: ``FileError`` when one cannot be read. One that is invalid is skipped.
  func allLabels(of id: PhotoID) throws -> [Label] {
    try labels(replica.names(in: DocumentPath.labels(of: id)), of: id, validDocument)
  }

  private func labels(
    _ names: [String], of id: PhotoID, _ read: (DocumentPath) throws -> Document?
  ) throws -> [Label] {
    try names.compactMap { name in
      guard let path = DocumentPath("\(DocumentPath.labels(of: id))/\(name)"),
        case .label(let label)? = try read(path)
      else { return nil }
      return label
    }
  }

  /// Returns a document; nil if there is none or it is invalid.
  ///
  /// For callers that write afterwards: a document that cannot be read must not count as missing.
  func validDocument(at path: DocumentPath) throws -> Document? {
    do {
      return try replica.document(at: path)
    } catch StoreError.invalidDocument {
      return nil
    }
  }

  /// Returns a document; nil if there is none or it is unreadable.
  func readableDocument(at path: DocumentPath) throws -> Document? {
    try ignoringUnreadable { try validDocument(at: path) }
  }

  /// Returns nil if a file or directory cannot be read: `cairn verify` reports it.
  private func ignoringUnreadable<Value>(_ body: () throws -> Value?) throws -> Value? {
    do {
      return try body()
    } catch let error as FileError where error.isOfOneFile {
      return nil
    }
  }
}

extension CairnError {
  static func noPhoto(_ text: String, isHex: Bool) -> CairnError {
    isHex && text.utf8.count < 4
      ? CairnError(
        .notFound, "“\(text)” is too short for a photo id.", hint: "Give 4 digits or more.")
      : CairnError(
        .notFound, "There is no photo “\(text)” in this dataset.",
        hint: "`cairn photo list` lists them.")
  }

  static func unknownFile(_ text: String) -> CairnError {
    CairnError(
      .notFound, "There is no photo “\(text)” in this dataset, only a file of that name.",
      hint: "`cairn photo add FILE` adds a file; a photo is also found by its id.")
  }

  static func ambiguousPhoto(_ text: String, _ candidates: [PhotoID]) -> CairnError {
    let shown = candidates.prefix(5).map { $0.description.prefix(16) + "…" }.joined(separator: ", ")
    let more = candidates.count > 5 ? " and \(candidates.count - 5) more" : ""
    return CairnError(
      .ambiguous, "“\(text)” matches \(candidates.count) photos: \(shown)\(more).",
      hint: "Give more digits.")
  }
}
