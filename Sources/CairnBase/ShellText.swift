/// Quotes text for a shell.
package func shellQuoted(_ text: String) -> String {
  // Scalars, as the shell compares them: in Swift, a quote with a combining mark is another
  // character.
  var quoted = "'"
  for scalar in text.unicodeScalars {
    if scalar == "'" { quoted += "'\\''" } else { quoted.unicodeScalars.append(scalar) }
  }
  return quoted + "'"
}

/// Returns text as one word of a command that a person types, quoted if necessary.
package func shellArgument(_ text: String) -> String {
  let isPlain = text.utf8.allSatisfy {
    UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 | 0x20
      || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0
      || "-_./,:@%+".utf8.contains($0)
  }
  return isPlain && !text.isEmpty ? text : shellQuoted(text)
}
