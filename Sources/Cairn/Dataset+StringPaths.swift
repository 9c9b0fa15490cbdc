internal import CairnDocument
public import CairnFormats
public import CairnStore
public import CairnSync
internal import SystemPackage

// The operations that take paths, for programs that have them as strings.

extension Dataset {
  /// Creates a dataset in a directory, which may already be a git repository.
  public static func create(
    at path: String, name: String? = nil, author: Author? = nil
  ) throws(CairnError) -> Dataset {
    try create(at: FilePath(path), name: name, author: author)
  }

  /// Clones a dataset from a remote into a new directory.
  public static func clone(
    _ address: String, to path: String, author: Author? = nil,
    options: TransferOptions = TransferOptions()
  ) throws(CairnError) -> ClonedDataset<Dataset> {
    try clone(address, to: FilePath(path), author: author, options: options)
  }

  /// Adds images with the metadata of their files.
  @discardableResult
  public func addPhotos(
    _ paths: [String], _ options: PhotoImport = PhotoImport()
  ) throws(CairnError) -> [AddedPhoto] {
    try addPhotos(paths.map { FilePath($0) }, options)
  }

  /// Imports photos and labels from files of another program.
  @discardableResult
  public func `import`(
    _ format: ImportFormat, from path: String,
    options: FormatImportOptions = FormatImportOptions()
  ) throws(CairnError) -> FormatImportReport {
    try `import`(format, from: FilePath(path), options: options)
  }

  /// Exports photos and labels to a new directory.
  @discardableResult
  public func export(
    _ format: ExportFormat, to path: String, options: FormatExportOptions = FormatExportOptions()
  ) throws(CairnError) -> FormatReport {
    try export(format, to: FilePath(path), options: options)
  }

  /// Writes the report of the dataset as an HTML page.
  public func writeReport(to path: String, withImages: Bool = false) throws(CairnError) {
    try writeReport(to: FilePath(path), withImages: withImages)
  }
}

extension DatasetQueue {
  /// Creates a dataset in a directory, which may already be a git repository.
  public static func create(
    at path: String, name: String? = nil, author: Author? = nil
  ) async throws -> DatasetQueue {
    try await create(at: FilePath(path), name: name, author: author)
  }

  /// Starts to clone a dataset from a remote into a new directory, and returns immediately.
  public static func startClone(
    _ address: String, to path: String, author: Author? = nil,
    options: TransferOptions = TransferOptions()
  ) -> DatasetOperation<ClonedDataset<DatasetQueue>> {
    startClone(address, to: FilePath(path), author: author, options: options)
  }

  /// Clones a dataset from a remote into a new directory.
  public static func clone(
    _ address: String, to path: String, author: Author? = nil,
    options: TransferOptions = TransferOptions()
  ) async throws -> ClonedDataset<DatasetQueue> {
    try await clone(address, to: FilePath(path), author: author, options: options)
  }
}
