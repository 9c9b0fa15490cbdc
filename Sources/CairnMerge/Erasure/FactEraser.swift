package import CairnDocument

/// Removes erased facts from documents and texts.
///
/// Each method is a function of its arguments and of the facts. It changes only what has one of the
/// facts, and nothing that it has changed before: erasing twice is erasing once, and erasing some
/// facts and then others is erasing all of them, in any order.
package final class FactEraser {
  package let facts: ErasedFacts
  /// What takes the place of an address; nil for one that stays.
  private var replacements: [String: String?] = [:]

  package init(_ facts: ErasedFacts) { self.facts = facts }

  // MARK: Files

  /// Returns the bytes of a file without the facts; nil if there must be no such file.
  ///
  /// - Parameters:
  ///   - kind: The kind of document that belongs at its path; nil for none: then the file is left
  ///     alone unless it holds a document. See ``erasedLabel(_:)`` for labels at their own paths.
  ///   - photo: The photo that the document is about, according to the path.
  package func erased(
    _ bytes: [UInt8], as kind: DocumentKind?, of photo: PhotoID? = nil
  ) -> [UInt8]? {
    if kind == nil, bytes.count > DocumentLimit.size || !FactEraser.mayBeObject(bytes) {
      return bytes
    }
    guard let json = try? JSON(bytes: bytes), json.object != nil else {
      return erasedBroken(bytes, as: kind, of: photo)
    }
    guard let result = erased(json, as: kind, of: photo) else { return nil }
    return result == json ? bytes : result.canonicalBytes
  }

  private static func mayBeObject(_ bytes: [UInt8]) -> Bool {
    bytes.first { $0 != 0x20 && $0 != 0x0A && $0 != 0x0D && $0 != 0x09 } == UInt8(ascii: "{")
  }

  /// Returns the bytes of the label of an erased person.
  package func erasedLabel(_ bytes: [UInt8]) -> [UInt8] {
    if let json = try? JSON(bytes: bytes) { return replacingPeople(in: json).canonicalBytes }
    // Both sides are labels of one person, so what was erased before does not matter to their join.
    let sides = ConflictMarkers.sides(of: bytes).compactMap { try? JSON(bytes: $0) }
      .map { replacingPeople(in: $0) }
    guard let first = sides.first else { return [] }
    return sides.dropFirst().reduce(first) { $0.joined(with: $1) }.canonicalBytes
  }

  /// Returns what replaces a document that does not parse: the sides of a conflict that parse, without
  /// the facts. They are not joined: which value wins may depend on what was erased before.
  private func erasedBroken(
    _ bytes: [UInt8], as kind: DocumentKind?, of photo: PhotoID?
  ) -> [UInt8] {
    var mayHaveFacts = true
    switch kind {
    case .photo:
      guard let photo, facts.photos.contains(photo) else { return bytes }
    case .run, .erasure, .redaction:
      let text = String(decoding: bytes, as: UTF8.self)
      mayHaveFacts = replacingAddresses(in: text) != text
    case .dataset, .label, .pin, .class, nil: return bytes
    }
    // A side that is not an object may have the facts anywhere, so drop it.
    let sides = ConflictMarkers.sides(of: bytes).compactMap { try? JSON(bytes: $0) }
      .filter { $0.object != nil }
    let erased = sides.compactMap { self.erased($0, as: kind, of: photo) }
    if !mayHaveFacts, erased == sides { return bytes }
    return ConflictMarkers.text(of: erased.map(\.canonicalBytes))
  }

  /// Returns a document without the facts; nil if there must be no such document.
  ///
  /// - Parameters:
  ///   - kind: The kind that belongs at its path.
  ///   - photo: The photo that the document is about, according to the path.
  private func erased(_ json: JSON, as kind: DocumentKind?, of photo: PhotoID?) -> JSON? {
    guard let result = erased(json) else { return nil }
    // It may be a document of another kind or of another photo, or no valid one.
    switch kind {
    case .photo:
      guard let photo, let object = result.object else { return result }
      return erased(object, of: photo)
    case .run, .erasure, .redaction: return replacingPeople(in: result)
    case .dataset, .label, .pin, .class, nil: return result
    }
  }

  /// Returns a document without the facts; nil for a label that must not exist.
  private func erased(_ json: JSON) -> JSON? {
    guard let object = json.object, let kind = object["kind"]?.string.flatMap(DocumentKind.init)
    else { return json }
    switch kind {
    case .photo:
      guard let id = object["id"]?.string.flatMap({ PhotoID($0) }) else { return json }
      return erased(object, of: id)
    case .label:
      let photo = object["photo"]?.string.flatMap { PhotoID($0) }
      if let photo, facts.metadata.contains(photo) { return nil }
      return replacingPeople(in: json)
    case .run, .erasure, .redaction: return replacingPeople(in: json)
    case .dataset, .pin, .class: return json
    }
  }

  // MARK: Photos

  private func erased(_ photo: JSONObject, of id: PhotoID) -> JSON {
    if facts.metadata.contains(id) { return .object(FactEraser.bare(photo)) }
    return .object(facts.positions.contains(id) ? FactEraser.withoutPosition(photo) : photo)
  }

  /// Returns a photo without where it was taken.
  private static func withoutPosition(_ photo: JSONObject) -> JSONObject {
    var photo = photo
    if var image = photo["image"]?.object {
      image["place"] = nil
      photo["image"] = .object(image)
    }
    if var credit = photo["credit"]?.object, var value = credit["value"]?.object {
      value["place"] = nil
      credit["value"] = .object(value)
      photo["credit"] = .object(credit)
    }
    photo["pin"] = photo["pin"].map { emptied($0, .null) }
    return photo
  }

  /// Returns a photo with nothing but its id, the size and format of its image, and whether it was
  /// removed.
  private static func bare(_ photo: JSONObject) -> JSONObject {
    var result = JSONObject()
    for (key, value) in photo.members {
      switch key {
      case "id", "kind", "removed": result[key] = value
      case "image": result[key] = value.object.map { .object(bareImage($0)) } ?? .null
      case "caption", "source", "title": result[key] = emptied(value, "")
      case "credit", "pin": result[key] = emptied(value, .null)
      default: break
      }
    }
    return result
  }

  private static func bareImage(_ image: JSONObject) -> JSONObject {
    JSONObject(
      sorted: image.members.filter {
        ["bytes", "format", "height", "orientation", "width"].contains($0.key)
      })
  }

  /// Returns a register with another value and the same stamp: a later stamp would look like an edit
  /// of each commit.
  private static func emptied(_ register: JSON, _ value: JSON) -> JSON {
    guard let stamp = register["stamp"] else { return value }
    return ["stamp": stamp, "value": value]
  }

  // MARK: People

  /// Returns the annotator that takes the place of an erased person; nil for anyone else.
  package func replacement(of annotator: Annotator) -> Annotator? {
    guard annotator.isHuman else { return nil }
    return replacement(ofAddress: annotator.identity).flatMap { Annotator(email: $0) }
  }

  /// Returns what takes the place of the address of an erased person; nil for anyone else.
  package func replacement(ofAddress address: String) -> String? {
    if facts.people.isEmpty { return nil }
    if let known = replacements[address] { return known }
    var replacement: String?
    if let annotator = Annotator(email: address) {
      // One person, erased in two datasets that were merged later.
      replacement =
        facts.people.filter { ErasedPersonID(annotator, salt: $0.salt) == $0.id }
        .map(\.id).min()?.address
    }
    replacements[address] = .some(replacement)
    return replacement
  }

  private func replacingPeople(in json: JSON) -> JSON {
    if facts.people.isEmpty { return json }
    switch json {
    case .string(let text):
      if let person = Annotator(text).flatMap({ replacement(of: $0) }) {
        return .string(person.description)
      }
      let replaced = replacingAddresses(in: text)
      return replaced == text ? json : .string(replaced)
    case .array(let elements): return .array(elements.map { replacingPeople(in: $0) })
    case .object(let object):
      return .object(
        JSONObject(
          object.members.map { (replacingAddresses(in: $0.key), replacingPeople(in: $0.value)) }))
    case .null, .bool, .number: return json
    }
  }

  /// Returns a text with the addresses of erased people replaced.
  package func replacingAddresses(in text: String) -> String {
    if facts.people.isEmpty || !text.utf8.contains(UInt8(ascii: "@")) { return text }
    var result = ""
    var rest = text.unicodeScalars[...]
    var isChanged = false
    while !rest.isEmpty {
      let between = rest.prefix { FactEraser.isDelimiter($0) }
      rest = rest[between.endIndex...]
      let word = rest.prefix { !FactEraser.isDelimiter($0) }
      rest = rest[word.endIndex...]
      result += String(between)
      if let (head, address, tail) = replacingAddress(in: word) {
        isChanged = true
        result += head + address + tail
      } else {
        result += String(word)
      }
    }
    return isChanged ? result : text
  }

  /// Returns what takes the place of the address that a word consists of, between its punctuation;
  /// nil if it is none of an erased person.
  private func replacingAddress(
    in word: Substring.UnicodeScalarView
  ) -> (head: String, address: String, tail: String)? {
    guard word.contains("@") else { return nil }
    if let replacement = replacement(ofAddress: String(word)) { return ("", replacement, "") }
    let head = word.prefix { FactEraser.isPunctuation($0) }
    var address = word[head.endIndex...]
    while let last = address.last, FactEraser.isPunctuation(last) { address.removeLast() }
    if address.count == word.count { return nil }
    return replacement(ofAddress: String(address)).map {
      (String(head), $0, String(word[address.endIndex...]))
    }
  }

  private static func isDelimiter(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isWhitespace || scalar.value < 0x20
      || "<>()[]{},;:\"|\\".unicodeScalars.contains(scalar)
  }

  private static func isPunctuation(_ scalar: Unicode.Scalar) -> Bool {
    ".!?'`*_‘’“”«»…".unicodeScalars.contains(scalar)
  }

  // MARK: Commits

  /// Returns a message without lines that have the address of an erased person: a trailer keeps its
  /// key.
  package func erasedMessage(_ message: String) -> String {
    if facts.people.isEmpty || !message.utf8.contains(UInt8(ascii: "@")) { return message }
    let lines = message.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let erased = lines.map { erasedLine(String(Substring($0))) }
    return erased.joined(separator: "\n")
  }

  private func erasedLine(_ line: String) -> String {
    if addresses(in: line).isEmpty { return line }
    guard let colon = line.firstIndex(of: ":"), colon > line.startIndex,
      line[..<colon].utf8.allSatisfy({ FactEraser.isKeyByte($0) }),
      let address = addresses(in: String(line[colon...])).first
    else { return "(a line was erased)" }
    return "\(line[..<colon]): erased <\(address)>"
  }

  /// Returns the bytes of a `.mailmap`, in any encoding, without the lines that have the address of an
  /// erased person.
  package func erasedMailmap(_ bytes: [UInt8]) -> [UInt8] {
    if facts.people.isEmpty || !bytes.contains(UInt8(ascii: "@")) { return bytes }
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let kept = lines.filter { addresses(in: String(decoding: $0, as: UTF8.self)).isEmpty }
    return Array(kept.joined(separator: [UInt8(ascii: "\n")]))
  }

  /// Returns what takes the place of the addresses of erased people in a text, in order.
  private func addresses(in text: String) -> [String] {
    text.unicodeScalars.split { FactEraser.isDelimiter($0) }
      .compactMap { replacingAddress(in: $0)?.address }
  }

  private static func isKeyByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "-"):
      true
    default: false
    }
  }
}
