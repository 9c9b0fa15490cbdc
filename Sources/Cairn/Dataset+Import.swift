internal import CairnStore
public import CairnSync
public import SystemPackage

extension Dataset {
  /// Imports documents of any kind but the manifest, one a line in JSON, as one commit.
  ///
  /// What a line leaves out is filled in where that can be; a document that stands already is joined
  /// with what comes. Nothing is imported when a line is wrong, unless the options say otherwise:
  /// the report has its number and why.
  public func importDocuments(
    _ input: FileDescriptor, options: ImportOptions = ImportOptions()
  ) throws(CairnError) -> ImportReport {
    try edit("import documents") {
      try replica.importDocuments(input, options: options, session: $0)
    }
  }
}
