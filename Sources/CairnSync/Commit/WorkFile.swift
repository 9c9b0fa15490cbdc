internal import CairnDocument
internal import CairnFiles
internal import CairnGit
internal import CairnStore

/// A file of the work tree that may differ from the last commit.
struct WorkFile: Sendable {
  let path: String
  /// Its status before it was read.
  let status: FileStatus
  /// The file in the commit; nil if there is none.
  let committed: TreeNode?
}

/// What the file of a document or an image contains.
struct WorkFileContent: Sendable {
  let path: DocumentPath
  /// The blob that a commit would hold; empty if the last one holds the same.
  let blob: [UInt8]
  let isCommitted: Bool
  /// Why the document is invalid, if it is not that of the commit.
  let error: DocumentError?
}

extension DatasetDirectory {
  /// Reads a file to compare it with the last commit.
  ///
  /// - Returns: Why a commit leaves it out, if it cannot be read.
  /// - Throws: ``FileError`` if the disk fails.
  func content(of file: WorkFile) throws -> Result<WorkFileContent, WorkingProblem.Reason> {
    guard let document = DocumentPath(file.path), file.status.kind == .regular else {
      return .failure(.unknownFile)
    }
    let blob: [UInt8]
    do {
      if let id = document.blob {
        guard let bytes = try pointerBytes(of: id, in: file) else {
          return .failure(.changedImage)
        }
        blob = bytes
      } else {
        guard let bytes = try read(file.path) else { return .failure(.missing) }
        blob = bytes
      }
    } catch StoreError.invalidDocument(_, let error) {
      return .failure(.invalidDocument(error))
    } catch let error as FileError where error.isOfOneFile {
      return .failure(.unreadable(error))
    }
    let isCommitted = file.committed.map { $0.id == ObjectID(hashing: .blob, blob) } ?? false
    var invalid: DocumentError?
    if !isCommitted, document.kind != nil {
      do throws(DocumentError) {
        _ = try Document(bytes: blob, at: document)
      } catch {
        invalid = error
      }
    }
    return .success(
      WorkFileContent(
        path: document, blob: isCommitted ? [] : blob, isCommitted: isCommitted, error: invalid))
  }

  /// Returns the pointer of an image; nil when its bytes do not match its name.
  private func pointerBytes(of id: PhotoID, in file: WorkFile) throws -> [UInt8]? {
    if file.status.size < Pointer.sizeLimit, let bytes = try read(file.path),
      let pointer = Pointer(bytes: bytes)
    {
      return pointer.id == id ? bytes : nil
    }
    let size = try BlobStore.size(of: id, at: location(file.path), files: environment.files)
    return size.map { Pointer(id: id, size: $0).bytes }
  }
}
