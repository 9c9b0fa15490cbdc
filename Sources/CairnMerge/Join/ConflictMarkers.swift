/// The sides of a text with conflict markers, left by a merge of lines.
///
/// Source: git-merge, “HOW CONFLICTS ARE PRESENTED”.
package enum ConflictMarkers {
  private enum Section { case both, ours, base, theirs }

  /// Returns our side and their side of a text; an empty array if it has no markers.
  package static func sides(of text: [UInt8]) -> [[UInt8]] {
    var (ours, theirs): ([UInt8], [UInt8]) = ([], [])
    var section = Section.both
    var isMarked = false
    for line in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      if let next = marked(line, in: section) {
        section = next
        isMarked = true
        continue
      }
      if section == .both || section == .ours { ours += line + [UInt8(ascii: "\n")] }
      if section == .both || section == .theirs { theirs += line + [UInt8(ascii: "\n")] }
    }
    // Drop the newline that the loop added after the last line.
    return isMarked ? [ours.dropLast(), theirs.dropLast()].map(Array.init) : []
  }

  /// Returns a text with these sides, each of complete lines: one side alone, and nothing without
  /// sides.
  static func text(of sides: [[UInt8]]) -> [UInt8] {
    guard sides.count == 2 else { return sides.first ?? [] }
    return Array("<<<<<<<\n".utf8) + sides[0] + Array("=======\n".utf8) + sides[1]
      + Array(">>>>>>>\n".utf8)
  }

  /// Returns the section that starts after a line, or nil if the line is not a marker.
  private static func marked(_ line: ArraySlice<UInt8>, in section: Section) -> Section? {
    func isMarker(_ character: Character) -> Bool {
      line.prefix(7).elementsEqual(repeatElement(character.asciiValue!, count: 7))
    }
    if isMarker("<") { return .ours }
    if isMarker("|"), section == .ours { return .base }
    if isMarker("="), section != .both { return .theirs }
    return isMarker(">") ? .both : nil
  }
}
