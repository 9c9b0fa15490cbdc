internal import CairnDocument
internal import CairnFiles
public import CairnFormats
internal import CairnStore
public import CairnSync
public import SystemPackage

/// How to import what another program wrote.
public struct FormatImportOptions {
  /// Who says so; nil for the person at work.
  public var annotator: Annotator?
  /// Where the images are; nil to look beside the files.
  public var images: FilePath?
  /// What the directories at the top are, of folders of images; nil to tell by their names.
  public var folders: FolderLayout?
  /// Whether what is wrong is left out; else nothing is imported when something is.
  public var skipsInvalid = false
  /// Only say what would be done.
  public var isRehearsal = false
  /// Nil for a summary.
  public var message: String?
  /// Called with what is being done, how much of it is done, and how much there is, 0 when unknown.
  public var progress: (_ what: String, _ done: Int, _ total: Int) -> Void = { _, _, _ in }

  public init() {}
}

/// What an import of another program's files did, or would do.
public struct FormatImportReport: Sendable {
  /// Something that is wrong, or that cannot be taken in.
  public struct Problem: Equatable, Sendable {
    public let place: ForeignPlace
    public let message: String
  }

  /// How many photos the files name: those that were in the dataset, and those that are new.
  public internal(set) var known = 0
  public internal(set) var new = 0
  public internal(set) var labels = 0
  public internal(set) var pins = 0
  /// What is left alone, which says nothing of labels.
  public internal(set) var notes: [String] = []
  /// The first of the problems, in the order of the files.
  public internal(set) var problems: [Problem] = []
  public internal(set) var problemCount = 0
  /// Whether nothing was imported since something is wrong.
  public internal(set) var isRefused = false
  /// What became of the documents; nil when it is refused.
  public internal(set) var documents: ImportReport?

  mutating func note(_ place: ForeignPlace, _ message: String) {
    problemCount += 1
    if problems.count < ImportReport.listLimit {
      problems.append(Problem(place: place, message: message))
    }
  }
}

extension Dataset {
  /// Imports labels, photos and pins from the files of another program, as one commit.
  ///
  /// Photos are known by the SHA-256 of their files, or by their ids where files are named by them;
  /// those that are not yet in the dataset are added. To import the same again changes nothing.
  /// - Parameter path: A file or a directory, as the format has it.
  public func `import`(
    _ format: ImportFormat, from path: FilePath,
    options: FormatImportOptions = FormatImportOptions()
  ) throws(CairnError) -> FormatImportReport {
    try edit("import \(format.rawValue)") { session in
      guard let source = world.files.resolve(path) else {
        throw CairnError(.notFound, "There is no file or directory \(path).")
      }
      let images = try options.images.map { directory in
        guard let found = world.files.resolve(directory), world.files.directoryExists(found) else {
          throw CairnError(.notFound, "There is no directory \(directory).")
        }
        return found
      }
      let lines = scratch.appending("import-\(String(world.random(), radix: 36)).jsonl")
      defer { try? world.files.remove(lines) }
      let found = try convert(format, source, images, to: lines, options)
      var report = found.report
      report.isRefused = report.problemCount > 0 && !options.skipsInvalid
      if report.isRefused { return report }
      try install(found.newImages)
      report.documents = try importLines(lines, options, session)
      return report
    }
  }

  private var scratch: FilePath { directory.privateDirectory.appending("tmp") }

  /// Writes what the files say as lines of documents.
  private func convert(
    _ format: ImportFormat, _ path: FilePath, _ images: FilePath?, to lines: FilePath,
    _ options: FormatImportOptions
  ) throws -> ForeignConversion {
    let annotator = try options.annotator ?? replica.person()
    return try query { index in
      try? world.files.remove(lines)
      let output = try world.files.createNew(lines)
      return try output.closeAfter {
        let conversion = ForeignConversion(
          self, index, annotator: annotator, isGiven: options.annotator != nil,
          finder: ForeignImages(path, images: images, files: world.files),
          keepsImages: !options.isRehearsal
        ) { try self.world.files.writeAll($0, to: output, lines) }
        var count = 0
        do {
          try readForeign(
            format, at: path, files: world.files, scratch: scratch, folders: options.folders
          ) { item in
            count += 1
            if count % 256 == 0 { options.progress("reading", count, 0) }
            try conversion.take(item)
          }
        } catch let error as FormatError {
          throw CairnError(.invalidInput, "\(error).", hint: "Nothing was imported.")
        }
        try conversion.finish()
        return conversion
      }
    }
  }

  /// Puts new images where the import of their photos finds them.
  private func install(_ images: [PhotoPreparation.Copy]) throws {
    for image in images { try directory.blobs.install(image.staged) }
    if !images.isEmpty { try directory.blobs.flush() }
  }

  private func importLines(
    _ lines: FilePath, _ options: FormatImportOptions, _ session: EditSession
  ) throws -> ImportReport {
    var importing = ImportOptions()
    importing.isRehearsal = options.isRehearsal
    importing.message = options.message
    importing.progress = options.progress
    let input = try FileDescriptor.open(lines, .readOnly)
    return try input.closeAfter {
      let report = try importDocuments(input, options: importing, session: session)
      if let problem = report.problems.first {
        throw CairnError(
          .internalError, "A line of the import does not read: \(problem.message).")
      }
      return report
    }
  }
}
