internal import CairnFiles
internal import CairnStore
public import CairnSync
public import SystemPackage

extension Dataset {
  /// Writes documents as lines of compact JSON, sorted by path, to an open file or pipe.
  public func exportDocuments(
    to output: FileDescriptor, options: ExportOptions = ExportOptions()
  ) throws(CairnError) -> ExportReport {
    try translating {
      try replica.exportDocuments(options) { _ = try output.writeAll($0) }
    }
  }

  /// Writes documents as lines to a file, which is there when all of it is; a link is followed, and a
  /// pipe or a device written to.
  public func exportDocuments(
    to path: FilePath, options: ExportOptions = ExportOptions()
  ) throws(CairnError) -> ExportReport {
    try translating {
      let target = world.files.resolve(path) ?? path
      if let kind = try world.files.status(target)?.kind, kind != .regular {
        let file = try world.files.openForWriting(target)
        return try file.closeAfter {
          try replica.exportDocuments(options) { try world.files.writeAll($0, to: file, target) }
        }
      }
      let temporary = FilePath("\(target).\(String(world.random(), radix: 36)).tmp")
      let file = try world.files.createNew(temporary)
      do {
        let report = try file.closeAfter {
          let report = try replica.exportDocuments(options) {
            try world.files.writeAll($0, to: file, temporary)
          }
          try world.files.sync(file, temporary)
          return report
        }
        try world.files.rename(temporary, to: target)
        return report
      } catch {
        try? world.files.remove(temporary)
        throw error
      }
    }
  }
}
