internal import CairnBase
public import CairnDocument
internal import CairnFiles
public import CairnFormats
internal import CairnStore
public import CairnSync
public import SystemPackage

/// Options for importing another program's files.
public struct FormatImportOptions: Sendable {
  /// The annotator of labels for which the files name nobody; nil to refuse such labels.
  public var annotator: Annotator?
  /// The annotators by their names, user names or ids in the files. Email addresses need no entry.
  public var annotators: [String: Annotator] = [:]
  /// The columns of a table by what they contain: `["image": "photo_file", "label": "species"]`.
  /// Others are found by their names.
  public var columns: [String: String] = [:]
  /// The directory of the images; nil to look next to the files.
  public var images: FilePath?
  /// Whether a file name stands for the photo of the dataset whose file had this name, wherever its
  /// image is now; nothing but the name is compared.
  public var matchesFileNames = false
  /// The meaning of the top-level directories in folders of images; nil to infer it from their
  /// names.
  public var folders: FolderLayout?
  /// Whether to skip invalid items; otherwise any invalid item stops the import.
  public var skipsInvalid = false
  /// Whether to only report what would be imported.
  public var isDryRun = false
  /// The commit message; nil for a summary.
  public var message: String?

  /// Creates options that take the annotators from the files and stop at invalid items.
  public init() {}
}

/// The result of importing another program's files, or of a dry run.
public struct FormatImportReport: Sendable {
  /// The reason why an item is invalid or cannot be imported.
  public struct Problem: Equatable, Sendable {
    /// The file, and the line in it if it has lines.
    public let location: ImportedLocation
    /// The reason, without a period.
    public let message: String
  }

  /// The number of photos in the files that the dataset already had.
  public internal(set) var known = 0
  /// The number of photos in the files that are new.
  public internal(set) var new = 0
  /// The number of photos in the files that are in neither the dataset nor the directory of the
  /// images.
  public internal(set) var missing = 0
  /// The number of labels that the files contain.
  public internal(set) var labels = 0
  /// The number of pins that the files contain.
  public internal(set) var pins = 0
  /// Notes on items that were skipped and contain no labels.
  public internal(set) var notes: [String] = []
  /// The first problems, in file order.
  public internal(set) var problems: [Problem] = []
  /// The number of all problems, of which ``problems`` has the first.
  public internal(set) var problemCount = 0
  /// Whether nothing was imported because of problems.
  public internal(set) var isRefused = false
  /// The result of importing the documents; nil when the import was refused.
  public internal(set) var documents: ImportReport?

  mutating func note(_ location: ImportedLocation, _ message: String) {
    problemCount += 1
    if problems.count < ImportReport.listLimit {
      problems.append(Problem(location: location, message: message))
    }
  }
}

extension Dataset {
  /// Imports labels, photos and pins from the files of another program, as one commit.
  ///
  /// Photos are identified by the SHA-256 of their files, by their ids where files are named after
  /// them, or, with ``FormatImportOptions/matchesFileNames``, by the names of their files. Photos not
  /// yet in the dataset are added. Importing the same files again changes nothing.
  /// - Parameter path: A file or a directory, depending on the format.
  /// - Throws: ``CairnError/Kind/invalidInput`` when the files cannot be read as the format, or
  ///   when they do not say who made a label and the options name no annotator.
  @discardableResult
  public func `import`(
    _ format: ImportFormat, from path: FilePath,
    options: FormatImportOptions = FormatImportOptions()
  ) throws(CairnError) -> FormatImportReport {
    try edit("import \(format.rawValue)", needsPerson: true) { session in
      returnLargeBlocks()
      guard let source = environment.files.resolve(path) else {
        throw CairnError(.notFound, "There is no file or directory \(path).")
      }
      let images = try options.images.map { directory in
        guard let found = environment.files.resolve(directory),
          environment.files.directoryExists(found)
        else {
          throw CairnError(.notFound, "There is no directory \(directory).")
        }
        return found
      }
      let lines = scratch.appending("import-\(String(environment.random(), radix: 36)).jsonl")
      defer { try? environment.files.remove(lines) }
      let importer = try convert(
        format, source, images, to: lines, stamp: session.stamp(), options)
      var report = importer.report
      report.isRefused = report.problemCount > 0 && !options.skipsInvalid
      if report.isRefused { return report }
      try install(importer.newImages)
      report.documents = try importLines(
        lines, classNames: importer.newClasses, options, session)
      return report
    }
  }

  var scratch: FilePath { directory.privateDirectory.appending("tmp") }

  /// Converts the files to lines of documents.
  private func convert(
    _ format: ImportFormat, _ path: FilePath, _ images: FilePath?, to lines: FilePath,
    stamp: Stamp, _ options: FormatImportOptions
  ) throws -> LabelImporter {
    let annotatorResolver = AnnotatorResolver(given: options.annotator, named: options.annotators)
    let file = path.lastComponent?.string ?? ""
    let runParameters: JSONObject = ["format": .string(format.rawValue), "import": .string(file)]
    return try query { index in
      try? environment.files.remove(lines)
      let output = try environment.files.createNew(lines)
      return try output.closeAfter {
        let importer = LabelImporter(
          self, index, annotatorResolver: annotatorResolver, stamp: stamp,
          runParameters: runParameters,
          matcher: ImageMatcher(path, images: images, files: environment.files),
          matchesFileNames: options.matchesFileNames, keepsImages: !options.isDryRun
        ) { try self.environment.files.writeAll($0, to: output, lines) }
        var count = 0
        do {
          try forEachImportedItem(
            format, at: path, files: environment.files, scratch: scratch, folders: options.folders,
            columns: options.columns
          ) { item in
            count += 1
            if count % 256 == 0 {
              try self.environment.checkCancellation()
              self.report("reading", count, of: 0)
            }
            try importer.add(item)
          }
        } catch let error as FormatError {
          throw CairnError(
            .invalidInput, "\(error).", hint: error.hint ?? "Nothing was imported.")
        }
        try importer.finish()
        return importer
      }
    }
  }

  /// Puts new images into the image store, where the import of their photos finds them.
  private func install(_ images: [PhotoLoader.Copy]) throws {
    for image in images { try directory.blobs.install(image.staged) }
    if !images.isEmpty { try directory.blobs.flush() }
  }

  private func importLines(
    _ lines: FilePath, classNames: [ClassKey: String], _ options: FormatImportOptions,
    _ session: EditSession
  ) throws -> ImportReport {
    var importing = ImportOptions()
    importing.isDryRun = options.isDryRun
    importing.classNames = classNames
    importing.message = options.message
    let input = try FileDescriptor.open(lines, .readOnly)
    return try input.closeAfter {
      let report = try importDocuments(input, options: importing, session: session)
      if let problem = report.problems.first {
        throw CairnError(
          .internalError, "A line of the import is invalid: \(problem.message).")
      }
      return report
    }
  }
}
