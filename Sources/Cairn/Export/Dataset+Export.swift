internal import CairnFiles
internal import CairnStore
public import CairnSync
public import SystemPackage

extension Dataset {
  /// Writes documents as lines of compact JSON, sorted by path, to an open file or pipe.
  @discardableResult
  public func exportDocuments(
    to output: FileDescriptor, options: ExportOptions = ExportOptions()
  ) throws(CairnError) -> ExportReport {
    try translating {
      try replica.exportDocuments(options) { _ = try output.writeAll($0) }
    }
  }

  /// Writes documents as lines to a file, which appears only when it is complete. Follows a link;
  /// writes directly to a pipe or a device.
  @discardableResult
  public func exportDocuments(
    to path: FilePath, options: ExportOptions = ExportOptions()
  ) throws(CairnError) -> ExportReport {
    try translating {
      let target = environment.files.resolve(path) ?? path
      if let kind = try environment.files.status(target)?.kind, kind != .regular {
        let file = try environment.files.openForWriting(target)
        return try file.closeAfter {
          try replica.exportDocuments(options) {
            try environment.files.writeAll($0, to: file, target)
          }
        }
      }
      let temporary = FilePath("\(target).\(String(environment.random(), radix: 36)).tmp")
      let file = try environment.files.createNew(temporary)
      do {
        let report = try file.closeAfter {
          let report = try replica.exportDocuments(options) {
            try environment.files.writeAll($0, to: file, temporary)
          }
          try environment.files.sync(file, temporary)
          return report
        }
        try environment.files.rename(temporary, to: target)
        return report
      } catch {
        try? environment.files.remove(temporary)
        throw error
      }
    }
  }
}
