public import CairnSources

extension WebLocation {
  /// Parses a list with one URL per line; empty lines and lines that begin with “#” are skipped.
  ///
  /// - Throws: ``CairnError/Kind/invalidInput`` with the number of the line that is not an http or
  ///   https URL.
  public static func list(_ text: String) throws(CairnError) -> [WebLocation] {
    try translating { try URLListSource.locations(in: text) }
  }
}
