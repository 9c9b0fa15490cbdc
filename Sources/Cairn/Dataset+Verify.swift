internal import CairnDocument
internal import CairnFiles
internal import CairnGit
internal import CairnMerge
internal import CairnStore
internal import CairnSync

/// What a check of the whole dataset found.
public struct VerifyReport: Sendable {
  public struct Finding: Equatable, Sendable {
    public let path: String
    public let message: String
  }

  public fileprivate(set) var documents = 0
  public fileprivate(set) var images = 0
  /// Images that documents name and this disk does not have; a copy made without images has many.
  public fileprivate(set) var imagesElsewhere = 0
  public fileprivate(set) var findings: [Finding] = []

  public var isSound: Bool { findings.isEmpty }
}

extension Dataset {
  /// Checks the working documents and the images: that every document reads, is in canonical form,
  /// is the one its name says and refers to what exists, and that every image hashes to its name.
  ///
  /// - Parameter progress: Called with the number of files done and their total.
  public func verify(progress: (Int, Int) -> Void = { _, _ in }) throws(CairnError) -> VerifyReport
  {
    try translating {
      var report = VerifyReport()
      let working = try replica.workingState()
      for problem in working.problems {
        report.findings.append(
          VerifyReport.Finding(path: problem.path, message: problem.reason.sentence))
      }
      let bad = Set(working.problems.map(\.path))
      let files = try replica.workingFiles()
      let paths = Set(files)
      for (index, text) in files.enumerated() where !bad.contains(text) {
        progress(index, files.count)
        guard let path = DocumentPath(text) else { continue }
        if case .image(let id, let format) = path {
          try check(image: id, format, at: text, paths: paths, into: &report)
        } else if let bytes = try replica.read(text) {
          report.documents += 1
          for message in try complaints(bytes, at: path, paths: paths, &report) {
            report.findings.append(VerifyReport.Finding(path: text, message: message))
          }
        }
      }
      return report
    }
  }

  private func check(
    image id: PhotoID, _ format: ImageFormat, at path: String, paths: Set<String>,
    into report: inout VerifyReport
  ) throws {
    func finding(_ message: String) {
      report.findings.append(VerifyReport.Finding(path: path, message: message))
    }
    report.images += 1
    if !paths.contains(DocumentPath.photo(id).description) {
      finding("no photo document names this image")
    }
    switch try directory.blobs.isIntact(id) {
    case true?: break
    case false?: finding("the stored image is damaged: its bytes have another hash")
    case nil:
      report.imagesElsewhere += 1
      if Pointer(bytes: try replica.read(path) ?? []) == nil {
        finding("the stored image is gone, though it stands in the work tree")
      }
    }
  }

  /// Returns what is wrong with a document.
  private func complaints(
    _ bytes: [UInt8], at path: DocumentPath, paths: Set<String>, _ report: inout VerifyReport
  ) throws -> [String] {
    let document: Document
    do throws(DocumentError) {
      document = try Document(bytes: bytes, at: path)
    } catch {
      return ["\(error)"]
    }
    var complaints: [String] = []
    if let stamp = document.json.latestStamp,
      stamp.milliseconds > world.now() + HybridClock.maximumDrift
    {
      complaints.append("its stamp lies in the future: \(stamp)")
    }
    func refersTo(_ path: DocumentPath, _ what: String) {
      if !paths.contains(path.description) { complaints.append("\(what) does not exist") }
    }
    if document.canonicalBytes != bytes { complaints.append("not in canonical form") }
    switch document {
    case .photo(let photo):
      // A photo that was imported without its image names one that others may have.
      if try directory.blobs.size(of: photo.id) != nil {
        refersTo(.image(photo.id, photo.image.format), "its image")
      } else if !paths.contains(DocumentPath.image(photo.id, photo.image.format).description) {
        report.imagesElsewhere += 1
      }
      if let pin = photo.pin.value { refersTo(.pin(pin), "its pin \(pin)") }
    case .label(let label):
      refersTo(.photo(label.photo), "its photo")
      if label.classKey != .favorite {
        refersTo(.class(label.classKey), "its class “\(label.classKey)”")
      }
      if let run = label.run { refersTo(.run(run), "its run \(run)") }
    case .class(let labelClass):
      if let parent = labelClass.parent.value { refersTo(.class(parent), "its parent “\(parent)”") }
    case .manifest, .pin, .run: break
    }
    return complaints
  }

  /// Returns whether the last commits here and at the remote hold the same dataset, by comparing
  /// the ids of their trees. Nothing is moved.
  public func isEqual(toRemote remote: String) throws(CairnError) -> (
    equal: Bool, here: String, there: String
  ) {
    try translating {
      let (here, there) = try replica.trees(with: remote)
      return (here == there, here?.description ?? "none", there?.description ?? "none")
    }
  }
}

extension WorkingProblem.Reason {
  /// The reason as a phrase.
  public var sentence: String {
    switch self {
    case .invalidDocument(let error): "\(error)"
    case .missing: "the file is missing"
    case .changedImage: "the image was changed; its bytes are no longer those its name says"
    case .unknownFile: "nothing of a dataset belongs there"
    case .conflict: "git left a conflict in its index"
    }
  }
}
