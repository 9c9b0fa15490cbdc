internal import CairnFiles
internal import CairnStore
public import SystemPackage

extension Dataset {
  /// Returns a report as one HTML page: the contents of the dataset, the agreement between people
  /// and the quality of models. It depends only on the documents and the last commit's id.
  public func report() throws(CairnError) -> String {
    try translating { try reportData().page }
  }

  /// Writes a report to a file, replacing its contents.
  public func writeReport(to path: FilePath) throws(CairnError) {
    let page = try report()
    try translating {
      if try environment.files.status(path)?.kind == .directory {
        throw CairnError(.exists, "\(path) is a directory.", hint: "Name a file in it.")
      }
      let temporary = FilePath("\(path).\(String(environment.random(), radix: 36)).tmp")
      try environment.files.write(Array(page.utf8), to: path, temporary: temporary)
    }
  }
}
