/// The versions that a merge of lines left beside each other in one text, between markers.
///
/// Source: git-merge, “HOW CONFLICTS ARE PRESENTED”.
public enum ConflictMarkers {
  private enum Part { case both, ours, base, theirs }

  /// Returns our side and theirs of a text; none where there are no markers.
  public static func sides(of text: [UInt8]) -> [[UInt8]] {
    var (ours, theirs): ([UInt8], [UInt8]) = ([], [])
    var part = Part.both
    var isMarked = false
    for line in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      if let next = marked(line, in: part) {
        part = next
        isMarked = true
        continue
      }
      if part == .both || part == .ours { ours += line + [UInt8(ascii: "\n")] }
      if part == .both || part == .theirs { theirs += line + [UInt8(ascii: "\n")] }
    }
    // The last line's end was no line of its own.
    return isMarked ? [ours.dropLast(), theirs.dropLast()].map(Array.init) : []
  }

  /// Returns the part that begins after a line, when that is a marker.
  private static func marked(_ line: ArraySlice<UInt8>, in part: Part) -> Part? {
    func isMarker(_ character: Character) -> Bool {
      line.prefix(7).elementsEqual(repeatElement(character.asciiValue!, count: 7))
    }
    if isMarker("<") { return .ours }
    if isMarker("|"), part == .ours { return .base }
    if isMarker("="), part != .both { return .theirs }
    return isMarker(">") ? .both : nil
  }
}
