internal import CairnFiles
internal import CairnStore
public import SystemPackage

extension Dataset {
  /// Returns a report as one HTML page: what the dataset holds, how far people agree, how good models
  /// are. It depends on nothing but the documents and the last commit's id.
  public func report() throws(CairnError) -> String {
    try translating { try gatherSurvey().page }
  }

  /// Writes a report to a file, over what it had.
  public func writeReport(to path: FilePath) throws(CairnError) {
    let page = try report()
    try translating {
      if try world.files.status(path)?.kind == .directory {
        throw CairnError(.exists, "\(path) is a directory.", hint: "Name a file in it.")
      }
      let temporary = FilePath("\(path).\(String(world.random(), radix: 36)).tmp")
      try world.files.write(Array(page.utf8), to: path, temporary: temporary)
    }
  }
}
