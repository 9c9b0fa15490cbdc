public import CairnDocument
internal import CairnFiles
internal import CairnGit
internal import CairnMerge
internal import CairnStore
internal import CairnSync

/// The result of checking the whole dataset.
public struct VerifyReport: Sendable {
  /// A problem with a file.
  public struct Finding: Equatable, Sendable {
    /// The path of the file in the dataset.
    public let path: String
    /// What is wrong with it, without a period.
    public let message: String
  }

  /// The number of documents that were checked.
  public fileprivate(set) var documents = 0
  /// The number of images and models that were checked.
  public fileprivate(set) var images = 0
  /// The number of images that documents name but that are not on this disk; a clone without images
  /// has many.
  public fileprivate(set) var imagesElsewhere = 0
  /// The number of images that were erased; they do not count as missing.
  public fileprivate(set) var imagesErased = 0
  /// Everything that is wrong, in the order of the check.
  public fileprivate(set) var findings: [Finding] = []
  /// Harmless findings, which may disappear with time.
  public fileprivate(set) var warnings: [Warning] = []

  /// A document whose stamp is in the future: the clock of the device that made it was fast.
  public struct Warning: Equatable, Sendable {
    /// The path of the document in the dataset.
    public let path: String
    /// The latest of its stamps in the future.
    public let stamp: Stamp
    /// The label's annotator; nil for other documents.
    public let annotator: Annotator?
  }

  /// Whether nothing is wrong; warnings do not count.
  public var isValid: Bool { findings.isEmpty }
}

extension Dataset {
  /// Checks the working documents and the images: that every document parses, is in canonical form,
  /// matches its file name and refers to documents that exist, that every image hashes to its name,
  /// and that git has the attributes that it needs in a dataset.
  public func verify() throws(CairnError) -> VerifyReport {
    try translating {
      var report = VerifyReport()
      let working = try replica.workingState(usesDirectoryCache: false)
      for problem in working.problems {
        report.findings.append(
          VerifyReport.Finding(path: problem.path, message: problem.reason.sentence))
      }
      if let message = try attributesProblem() {
        report.findings.append(VerifyReport.Finding(path: ".gitattributes", message: message))
      }
      let bad = Set(working.problems.map(\.path))
      let files = try replica.workingFiles()
      let paths = Set(files)
      let erased = try replica.erasedImages()
      for (index, text) in files.enumerated() where !bad.contains(text) {
        try environment.checkCancellation()
        environment.report("checking", index, of: files.count)
        guard let path = DocumentPath(text) else { continue }
        do {
          try check(path, paths: paths, erased: erased, into: &report)
        } catch StoreError.invalidDocument(_, let error) {
          report.findings.append(VerifyReport.Finding(path: text, message: "\(error)"))
        } catch let error as FileError where error.isOfOneFile {
          let message = WorkingProblem.Reason.unreadable(error).sentence
          report.findings.append(VerifyReport.Finding(path: text, message: message))
        }
      }
      return report
    }
  }

  /// Returns what is wrong with `.gitattributes`; nil if nothing is.
  private func attributesProblem() throws -> String? {
    let missing = "lacks lines without which git commits images whole and merges documents as text"
    return switch try replica.attributesState() {
    case .complete: nil
    case .removed: missing + " (`cairn commit --all` adds them)"
    case .removedHere: missing + " (`git checkout -- :/.gitattributes` restores them)"
    }
  }

  private func check(
    _ path: DocumentPath, paths: Set<String>, erased: Set<PhotoID>,
    into report: inout VerifyReport
  ) throws {
    let text = path.description
    if let id = path.blob {
      try check(blob: id, at: path, paths: paths, erased: erased, into: &report)
    } else if let bytes = try replica.read(text) {
      report.documents += 1
      for message in try problems(bytes, at: path, paths: paths, erased: erased, &report) {
        report.findings.append(VerifyReport.Finding(path: text, message: message))
      }
    }
  }

  private func check(
    blob id: PhotoID, at path: DocumentPath, paths: Set<String>, erased: Set<PhotoID>,
    into report: inout VerifyReport
  ) throws {
    let (text, noun) = (path.description, path == .model(id) ? "model" : "image")
    func finding(_ message: String) {
      report.findings.append(VerifyReport.Finding(path: text, message: message))
    }
    report.images += 1
    let hasPhoto = paths.contains(DocumentPath.photo(id).description)
    if case .image = path, !hasPhoto {
      finding(WorkingProblem.Reason.imageOfNoPhoto.sentence)
    }
    if try replica.isCommittedPointerWrong(at: path) {
      finding(
        "git has no pointer to this \(noun) here (`cairn commit --all` restores it"
          + (hasPhoto ? ")" : "; if it cannot, remove it with `git rm`)"))
    }
    switch try directory.blobs.isIntact(id) {
    case .some where erased.contains(id):
      finding(
        "the \(noun) was erased, but is stored here (`cairn photo erase \(id.short)` deletes it)")
    case true?: break
    case false?: finding("the stored \(noun) is damaged: its SHA-256 does not match its name")
    case nil:
      if erased.contains(id) { report.imagesErased += 1 } else { report.imagesElsewhere += 1 }
      let size = try directory.files.status(directory.location(text))?.size ?? 0
      if try size >= Pointer.sizeLimit || Pointer(bytes: replica.read(text) ?? []) == nil {
        finding("the stored \(noun) is missing, although the work tree has it")
      }
    }
  }

  /// Returns the problems of a document.
  private func problems(
    _ bytes: [UInt8], at path: DocumentPath, paths: Set<String>, erased: Set<PhotoID>,
    _ report: inout VerifyReport
  ) throws -> [String] {
    let document: Document
    do throws(DocumentError) {
      document = try Document(bytes: bytes, at: path)
    } catch {
      return ["\(error)"]
    }
    var problems: [String] = []
    if let stamp = document.json.latestStamp,
      stamp.milliseconds > environment.now() + HybridClock.maximumDrift
    {
      var annotator: Annotator?
      if case .label(let label) = document { annotator = label.annotator }
      report.warnings.append(
        VerifyReport.Warning(path: path.description, stamp: stamp, annotator: annotator))
    }
    func requireDocument(_ path: DocumentPath, _ what: String) {
      if paths.contains(path.description) { return }
      let repair = if case .class = path { "creates it" } else { "restores it if it ever existed" }
      problems.append("\(what) does not exist (`cairn commit --all` \(repair))")
    }
    if document.canonicalBytes != bytes {
      problems.append("not in canonical form (`cairn commit --all` rewrites it)")
    }
    switch document {
    case .photo(let photo):
      // A photo that was imported without its image refers to one that other clones may have.
      if try directory.blobs.size(of: photo.id) != nil {
        requireDocument(.image(photo.id, photo.image.format), "its image")
      } else if !paths.contains(DocumentPath.image(photo.id, photo.image.format).description) {
        if erased.contains(photo.id) {
          report.imagesErased += 1
        } else {
          report.imagesElsewhere += 1
        }
      }
      if let pin = photo.pin.value { requireDocument(.pin(pin), "its pin \(pin)") }
    case .label(let label):
      requireDocument(.photo(label.photo), "its photo")
      if label.classKey != .favorite {
        requireDocument(.class(label.classKey), "its class “\(label.classKey)”")
      }
      if let run = label.run { requireDocument(.run(run), "its run \(run)") }
    case .class(let labelClass):
      if let parent = labelClass.parent.value {
        requireDocument(.class(parent), "its parent “\(parent)”")
      }
    case .manifest, .pin, .run, .erasure, .redaction: break
    }
    return problems
  }

  /// Compares the content of the last commits here and at the remote by the ids of their trees.
  public func compare(withRemote remote: String) throws(CairnError) -> RemoteComparison {
    try translating {
      let (here, there) = try replica.trees(with: remote)
      return RemoteComparison(here: here?.description, there: there?.description)
    }
  }
}

/// The last commits here and at a remote, compared.
public struct RemoteComparison: Equatable, Sendable {
  /// The id of the tree of the last commit here, in hexadecimal; nil before the first commit.
  public let here: String?
  /// The id of the tree of the last commit at the remote; nil if the remote is empty.
  public let there: String?

  /// Whether both hold the same documents and pointers.
  public var isEqual: Bool { here == there }
}
