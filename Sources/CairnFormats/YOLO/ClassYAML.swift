internal import CairnDocument

/// The parts of a `data.yaml` that an import needs: class names by number, as a list or a map, in
/// block style or in flow style over any number of lines.
///
/// Source: YAML 1.2.2, sections 7.3 and 7.4; only single-line scalars are supported.
struct ClassYAML {
  private(set) var names: [Int: String] = [:]
  /// The other top-level keys.
  private(set) var others: [String] = []

  init(_ text: String) {
    var value: [Substring] = []
    var isInside = false
    // An open bracket continues the value, whatever the indentation.
    var brackets = Scan()
    func append(_ piece: Substring) {
      if piece.isEmpty { return }
      value.append(piece)
      if value[0].first == "[" || value[0].first == "{" {
        for character in piece { _ = brackets.next(character) }
        _ = brackets.next("\n")
      }
    }
    for line in text.split(whereSeparator: \.isNewline) {
      let content = line.drop { $0 == " " }
      if content.isEmpty || content.hasPrefix("#") || content == "---" { continue }
      if line.first == " " || content.hasPrefix("-") || isInside && brackets.depth > 0 {
        if isInside { append(content) }
        continue
      }
      let parts = content.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      let key = ClassYAML.unquoted(String(parts[0]))
      isInside = key == "names"
      if !isInside { others.append(key) }
      if isInside, parts.count == 2 { append(parts[1].drop { $0 == " " }) }
    }
    take(value)
  }

  private mutating func take(_ lines: [Substring]) {
    guard let first = lines.first?.first else { return }
    if first == "[" || first == "{" {
      let items = ClassYAML.items(inFlow: lines.joined(separator: "\n"))
      for item in items { add(item, isElement: first == "[") }
    } else {
      for line in lines {
        let item = ClassYAML.withoutComment(line)
        add(
          line.hasPrefix("-") ? String(item.dropFirst()) : item, isElement: line.hasPrefix("-"))
      }
    }
  }

  /// Adds a name, or `0: name`.
  private mutating func add(_ item: String, isElement: Bool) {
    if isElement {
      names[names.count] = ClassYAML.unquoted(item)
    } else if let colon = item.firstIndex(of: ":"),
      let number = Int(ClassYAML.unquoted(String(item[..<colon])))
    {
      names[number] = ClassYAML.unquoted(String(item[item.index(after: colon)...]))
    }
  }

  // MARK: Text

  /// A scanner that classifies each character by those before it.
  private struct Scan {
    private var quote: Character?
    private var isEscaped = false
    private var isComment = false
    private var last: Character = " "
    /// The number of open brackets.
    private(set) var depth = 0

    /// Returns whether the character is plain rather than quoted; nil in a comment.
    mutating func next(_ character: Character) -> Bool? {
      defer { last = character }
      if isComment {
        isComment = !character.isNewline
        return nil
      }
      if let open = quote {
        if isEscaped {
          isEscaped = false
        } else if open == "\"", character == "\\" {
          isEscaped = true
        } else if character == open {
          quote = nil
        }
        return false
      }
      if character == "#", last.isWhitespace {
        isComment = true
        return nil
      }
      // A quote within a word is part of it.
      if character == "\"" || character == "'", !(last.isLetter || last.isNumber) {
        quote = character
        return false
      }
      if "[{".contains(character) { depth += 1 }
      if "]}".contains(character) { depth -= 1 }
      return true
    }
  }

  private static func withoutComment(_ line: some StringProtocol) -> String {
    var (text, scan) = ("", Scan())
    for character in line where scan.next(character) != nil { text.append(character) }
    return text
  }

  /// Returns the items of a list or a map in flow style.
  private static func items(inFlow text: String) -> [String] {
    var (items, item, scan) = ([String](), "", Scan())
    for character in text {
      guard let isPlain = scan.next(character) else { continue }
      if isPlain, scan.depth == 1, character == "," || "[{".contains(character) {
        items.append(item)
        item = ""
      } else if scan.depth > 0 {
        item.append(character)
      }
    }
    items.append(item)
    // The first item is the text before the bracket; a trailing comma leaves an empty last item.
    return items.dropFirst().map { $0.split(whereSeparator: \.isNewline).joined(separator: " ") }
      .filter { !$0.trimmingSpaces().isEmpty }
  }

  /// Returns the value of a scalar.
  private static func unquoted(_ text: String) -> String {
    let text = text.trimmingSpaces()
    guard let quote = text.first, quote == "\"" || quote == "'", text.last == quote, text.count > 1
    else { return text }
    let inner = text.dropFirst().dropLast()
    var (plain, isEscaped) = ("", false)
    for character in inner {
      if !isEscaped, character == (quote == "'" ? "'" : "\\") {
        isEscaped = true
      } else {
        plain.append(character)
        isEscaped = false
      }
    }
    return plain
  }
}
