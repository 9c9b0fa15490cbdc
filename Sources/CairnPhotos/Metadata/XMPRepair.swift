/// Returns an XMP packet without what makes it invalid XML, as far as that is clear; nil if there is
/// nothing to repair.
///
/// Programs write control characters and text in other encodings, leave `&` unescaped, and damage the
/// packet's wrapper. Everything outside of the element `x:xmpmeta`, or `rdf:RDF`, is dropped.
/// - Parameter packet: The bytes of a packet that is not valid.
func repairedXMP(_ packet: [UInt8]) -> [UInt8]? {
  var content = packet[...]
  for name in ["x:xmpmeta", "rdf:RDF"] {
    guard let start = firstIndex(of: Array("<\(name)".utf8), in: packet) else { continue }
    let close = Array("</\(name)>".utf8)
    guard let end = lastIndex(of: close, in: packet), end > start else { continue }
    content = packet[start..<(end + close.count)]
    break
  }
  var text = String(validating: content, as: UTF8.self) ?? decodedText(content)
  // Characters that XML 1.0 does not allow (section 2.2).
  let allowed = text.unicodeScalars.filter { scalar in
    if scalar.value < 0x20 { return [0x9, 0xA, 0xD].contains(scalar.value) }
    return scalar.value != 0xFFFE && scalar.value != 0xFFFF
  }
  text = withEscapedAmpersands(String(String.UnicodeScalarView(allowed)))
  let repaired = Array(text.utf8)
  return repaired == packet ? nil : repaired
}

/// Escapes each `&` that begins no reference that XML defines (section 4.6) and no character.
private func withEscapedAmpersands(_ text: String) -> String {
  let parts = text.split(separator: "&", omittingEmptySubsequences: false)
  guard parts.count > 1 else { return text }
  let references = ["amp;", "lt;", "gt;", "quot;", "apos;", "#"]
  var escaped = String(parts[0])
  for part in parts.dropFirst() {
    escaped += references.contains { part.hasPrefix($0) } ? "&" : "&amp;"
    escaped += part
  }
  return escaped
}

private func firstIndex(of pattern: [UInt8], in bytes: [UInt8]) -> Int? {
  guard let first = pattern.first, bytes.count >= pattern.count else { return nil }
  return (0...(bytes.count - pattern.count)).first {
    bytes[$0] == first && bytes[$0...].starts(with: pattern)
  }
}

private func lastIndex(of pattern: [UInt8], in bytes: [UInt8]) -> Int? {
  guard let first = pattern.first, bytes.count >= pattern.count else { return nil }
  return (0...(bytes.count - pattern.count)).last {
    bytes[$0] == first && bytes[$0...].starts(with: pattern)
  }
}
