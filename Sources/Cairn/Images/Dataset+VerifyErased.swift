public import CairnDocument
internal import CairnFiles
internal import CairnGit
internal import CairnIndex
internal import CairnMerge
internal import CairnStore
public import CairnSync
internal import Crypto
internal import SystemPackage

/// Where the bytes of erased images were still found.
public struct ErasedImageReport: Sendable {
  /// A file, object or store that still has the bytes of an erased image, or data computed from
  /// them.
  public struct Finding: Equatable, Sendable {
    /// Where the data was found.
    public enum Kind: String, Sendable {
      /// A file in the directory of the dataset, also outside of `images/`.
      case file
      /// An object of git.
      case object
      /// The image store of this copy, with interrupted transfers.
      case store
      /// A cache of this device.
      case cache
      /// The image store of a remote.
      case remote
    }

    /// The photo whose image was erased.
    public let photo: PhotoID
    /// Where the data was found.
    public let kind: Kind
    /// The path of the file, the id of the object or the address of the store.
    public let path: String
    /// How to remove it, as a sentence.
    public let remedy: String
  }

  /// The number of erased images.
  public fileprivate(set) var images = 0
  /// The number of files that were compared.
  public fileprivate(set) var files = 0
  /// The number of git's objects that were compared.
  public fileprivate(set) var objects = 0
  /// Everything that was found.
  public fileprivate(set) var findings: [Finding] = []
  /// The image stores that could not be searched.
  public fileprivate(set) var unreached: [ErasureStoreReport] = []

  /// What is left of facts that were erased from the history; nil if none were.
  public fileprivate(set) var facts: RemainingFacts?

  /// Whether nothing was found; stores that could not be searched do not count.
  public var isClean: Bool { findings.isEmpty && facts?.isClean != false }
}

extension Dataset {
  /// Searches everything that this copy can reach for the bytes of erased images, by content: every
  /// file in the dataset's directory, every git object, even if no ref reaches it, the caches, and
  /// the image stores of the remotes. Also searches this copy for facts that were erased from the
  /// history.
  public func verifyErased() throws(CairnError) -> ErasedImageReport {
    try translating {
      var report = ErasedImageReport()
      let images = try erasedSizes()
      report.images = images.count
      report.facts = try replica.remainingFacts()
      if try indexHasErasedFacts() { report.facts?.files.append("\(directory.indexDatabase)") }
      if report.facts != nil {
        let images = try locatedImages()
        report.facts?.locatedImages = images.located
        report.facts?.unreadable += images.unreadable
      }
      if images.isEmpty { return report }
      try searchCaches(images, &report)
      try searchFiles(images, &report)
      try searchObjects(images, &report)
      for store in try replica.erasedImagesAtRemotes() {
        for photo in store.kept {
          report.findings.append(
            .init(
              photo: photo, kind: .remote, path: store.address,
              remedy: "Run `cairn photo erase \(photo.short)`. If the store cannot delete it, its "
                + "administrator has to delete the object \(photo)."))
        }
        if !store.failed.isEmpty {
          var unreached = store
          unreached.replaceFailure { CairnError($0) }
          report.unreached.append(unreached)
        }
      }
      return report
    }
  }

  /// Returns the photos whose location was erased and whose image on this disk has one, and the images that
  /// cannot be read.
  private func locatedImages() throws -> (located: [PhotoID], unreadable: [String]) {
    let loader = PhotoLoader(directory: directory)
    var (located, unreadable): ([PhotoID], [String]) = ([], [])
    for id in try replica.erasedFacts().photos.sorted() {
      let path = directory.blobs.path(of: id)
      guard try environment.files.exists(path) else { continue }
      do {
        // The loader takes a file that cannot be read for one without a location.
        _ = try BlobStore.hash(path, files: environment.files)
        if loader.location(of: path) != nil { located.append(id) }
      } catch let error as FileError where error.isOfOneFile {
        unreadable.append("\(path)")
      }
    }
    return (located, unreadable)
  }

  /// Whether the index, as the last query left it, has facts that were erased from the history.
  private func indexHasErasedFacts() throws -> Bool {
    let eraser = FactEraser(try replica.erasedFacts())
    guard !eraser.facts.isEmpty, try environment.files.exists(directory.indexDatabase),
      let index = unchangedIndex()
    else { return false }
    let found = try? index.read { reader -> Bool in
      if try reader.annotators().contains(where: { eraser.replacement(of: $0) != nil }) {
        return true
      }
      for id in eraser.facts.photos {
        if eraser.facts.metadata.contains(id), try !reader.labels(of: id).isEmpty { return true }
        guard let bytes = try reader.found(id)?.photo.canonicalBytes else { continue }
        if eraser.erased(bytes, as: .photo, of: id) != bytes { return true }
      }
      return false
    }
    // The next query builds one again that cannot be read.
    return found ?? false
  }

  /// Returns the erased images with their sizes in bytes; nil for one of unknown size.
  private func erasedSizes() throws -> [PhotoID: Int?] {
    var sizes: [PhotoID: Int?] = [:]
    for id in try replica.erasedImages() {
      var size: Int?
      if let erasure = try replica.erasure(of: id) {
        size = erasure.bytes
      } else if case .photo(let photo)? = try readableDocument(at: .photo(id)) {
        size = photo.image.bytes
      }
      sizes.updateValue(size, forKey: id)
    }
    return sizes
  }

  private func searchCaches(_ images: [PhotoID: Int?], _ report: inout ErasedImageReport) throws {
    // Each work tree has caches of its own.
    let repository = replica.repository
    let trees = try [(repository.gitDirectory, root)] + repository.workTrees(except: root)
    for (id, size) in images.sorted(by: { $0.key < $1.key }) {
      let erase = "Run `cairn photo erase \(id.short)`."
      for (gitDirectory, tree) in trees {
        let derived = DerivedData(
          directory: DatasetDirectory.privateDirectory(in: gitDirectory), files: environment.files)
        for path in try derived.remains(of: id) {
          report.findings.append(
            .init(
              photo: id, kind: .cache, path: "\(path)",
              remedy: tree == root ? erase : "Run `cairn commit` in \(tree)."))
        }
      }
      for path in try directory.blobs.remains(of: id, size: size ?? -1) {
        report.findings.append(.init(photo: id, kind: .store, path: "\(path)", remedy: erase))
      }
    }
  }

  private func searchFiles(_ images: [PhotoID: Int?], _ report: inout ErasedImageReport) throws {
    let sizes = Set(images.values.compactMap(\.self))
    let repository = replica.repository
    let otherTrees = try repository.workTrees(except: root).map(\.root)
    var folders: [FilePath] = []
    for folder in [
      root, repository.gitDirectory, repository.commonDirectory, directory.blobs.directory,
    ] + otherTrees where !folders.contains(where: folder.starts(with:)) {
      folders.removeAll { $0.starts(with: folder) }
      folders.append(folder)
    }
    let known = Set(report.findings.map(\.path))
    var open = folders
    while let folder = open.popLast() {
      try environment.checkCancellation()
      for name in try environment.files.list(folder)?.sorted() ?? [] {
        let path = folder.appending(name)
        guard let status = try environment.files.status(path) else { continue }
        if status.kind == .directory { open.append(path) }
        guard status.kind == .regular else { continue }
        report.files += 1
        if report.files % 1024 == 0 {
          self.report("searching files", report.files, of: report.files)
        }
        guard sizes.contains(Int(status.size)), !known.contains("\(path)"),
          case let id = try BlobStore.hash(path, files: environment.files), images[id] != nil
        else { continue }
        var inside = path
        let other = otherTrees.first { tree in
          guard inside.removePrefix(tree) else { return false }
          return DocumentPath(inside.string)?.blob == id
        }
        report.findings.append(
          .init(
            photo: id, kind: .file, path: "\(path)",
            remedy: other.map { "Run `cairn commit` in \($0), or delete this file." }
              ?? "Delete this file."))
      }
    }
  }

  private func searchObjects(_ images: [PhotoID: Int?], _ report: inout ErasedImageReport) throws {
    let sizes = Set(images.values.compactMap(\.self))
    let repository = replica.repository
    let objects = Set(try repository.allObjects()).sorted()
    for object in objects {
      if report.objects % 1024 == 0 {
        try environment.checkCancellation()
        self.report("searching git's objects", report.objects, of: objects.count)
      }
      report.objects += 1
      guard let size = try sizeIfThere(of: object), sizes.contains(size) else { continue }
      let id = try repository.withObject(object) { _, bytes in
        var hash = SHA256()
        hash.update(bufferPointer: bytes)
        return PhotoID(digest: hash.finalize())
      }
      guard images[id] != nil else { continue }
      report.findings.append(
        .init(
          photo: id, kind: .object, path: "\(object)",
          remedy:
            "`git log --all --reflog --oneline --find-object=\(object)` shows the commits that "
            + "have it. Delete their branches, tags and stashes, or rewrite them (`git filter-repo`). "
            + "Then run `git reflog expire --expire=now --all` and `git gc --prune=now`."))
    }
  }

  /// Returns the size of an object of git in bytes; nil if another process has removed it.
  private func sizeIfThere(of object: ObjectID) throws(GitError) -> Int? {
    do {
      return try replica.repository.size(of: object)
    } catch {
      if error.code == .notFound { return nil }
      throw error
    }
  }
}
