internal import CairnDocument

/// What is wanted of a `data.yaml`: the names of classes by their numbers, a list or a map, in a block or
/// in brackets over any number of lines.
///
/// Source: YAML 1.2.2, sections 7.3 and 7.4, of which it reads scalars of one line.
struct ClassYAML {
  private(set) var names: [Int: String] = [:]
  /// The other members at the top.
  private(set) var others: [String] = []

  init(_ text: String) {
    var value: [Substring] = []
    var isInside = false
    for line in text.split(whereSeparator: \.isNewline) {
      let content = line.drop { $0 == " " }
      if content.isEmpty || content.hasPrefix("#") || content == "---" { continue }
      // What is open in brackets goes on, however far it is indented.
      let isOpen = isInside && ClassYAML.isOpen(value.joined(separator: "\n"))
      if line.first == " " || content.hasPrefix("-") || isOpen {
        if isInside { value.append(content) }
        continue
      }
      let parts = content.split(separator: ":", maxSplits: 1)
      let key = ClassYAML.unquoted(String(parts[0]))
      isInside = key == "names"
      if !isInside { others.append(key) }
      if isInside, parts.count == 2 { value.append(parts[1].drop { $0 == " " }) }
    }
    take(value.filter { !$0.isEmpty })
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

  /// Takes a name, or `0: name`.
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

  /// Calls `visit` with each character and whether it is plain: neither in quotes nor in a comment.
  private static func scan(_ text: some StringProtocol, _ visit: (Character, Bool) -> Void) {
    var quote: Character?
    var (isEscaped, isComment) = (false, false)
    var last: Character = " "
    for character in text {
      defer { last = character }
      if isComment {
        isComment = !character.isNewline
      } else if let open = quote {
        visit(character, false)
        if isEscaped {
          isEscaped = false
        } else if open == "\"", character == "\\" {
          isEscaped = true
        } else if character == open {
          quote = nil
        }
      } else if character == "#", last.isWhitespace {
        isComment = true
      } else {
        // A quote within a word is a letter of it.
        if character == "\"" || character == "'", !(last.isLetter || last.isNumber) {
          quote = character
        }
        visit(character, quote == nil)
      }
    }
  }

  private static func withoutComment(_ line: some StringProtocol) -> String {
    var text = ""
    scan(line) { character, _ in text.append(character) }
    return text
  }

  private static func isOpen(_ text: String) -> Bool {
    var depth = 0
    scan(text) { character, isPlain in
      if isPlain, "[{".contains(character) { depth += 1 }
      if isPlain, "]}".contains(character) { depth -= 1 }
    }
    return depth > 0
  }

  /// Returns the items of a list or a map in brackets.
  private static func items(inFlow text: String) -> [String] {
    var (items, item, depth) = ([String](), "", 0)
    scan(text) { character, isPlain in
      if isPlain, "[{".contains(character) { depth += 1 }
      if isPlain, "]}".contains(character) { depth -= 1 }
      if isPlain, depth == 1, character == "," || "[{".contains(character) {
        items.append(item)
        item = ""
      } else if depth > 0 {
        item.append(character)
      }
    }
    items.append(item)
    // The first is what stands before the bracket; a comma may stand before the last.
    return items.dropFirst().map { $0.split(whereSeparator: \.isNewline).joined(separator: " ") }
      .filter { !$0.trimmingSpaces().isEmpty }
  }

  /// Returns what a scalar says.
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
