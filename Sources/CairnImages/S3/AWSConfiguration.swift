internal import CairnFiles
internal import SystemPackage

/// The configuration files shared by all programs for Amazon's services, and the selected profile
/// in them.
///
/// Source: AWS SDKs and Tools Reference Guide, “Shared config and credentials files”.
struct AWSConfiguration: CustomStringConvertible, CustomReflectable {
  typealias Section = [String: String]

  /// The name of the selected profile.
  let profile: String
  /// Its section in the credentials file; nil when there is none.
  let credentials: Section?
  /// Its section in the configuration file; nil when there is none.
  let settings: Section?

  /// - Parameters:
  ///   - profile: Nil for the one that the environment names, otherwise `default`.
  /// - Throws: `FileError` for a file that exists but cannot be read.
  init(profile: String?, files: FileSystem, environment: (String) -> String?) throws(FileError) {
    func sections(
      _ variable: String, _ defaultPath: String
    ) throws(FileError) -> [String: Section] {
      let home = environment("HOME")
      guard let name = environment(variable) ?? home.map({ $0 + defaultPath }) else { return [:] }
      let path = name.hasPrefix("~/") ? (home ?? "") + name.dropFirst() : name
      let bytes = try files.read(FilePath(path), limit: 1 << 20) ?? []
      return AWSConfiguration.sections(String(decoding: bytes, as: UTF8.self))
    }
    let name = profile ?? environment("AWS_PROFILE") ?? "default"
    self.profile = name
    credentials = try sections("AWS_SHARED_CREDENTIALS_FILE", "/.aws/credentials")[name]
    let profiles = try sections("AWS_CONFIG_FILE", "/.aws/config")
    settings = profiles["profile \(name)"] ?? (name == "default" ? profiles["default"] : nil)
  }

  /// Whether either file contains the profile.
  var isKnown: Bool { credentials != nil || settings != nil }

  /// A value that is not secret.
  subscript(key: String) -> String? { credentials?[key] ?? settings?[key] }

  /// Reads lines such as `key = value` under `[section]`; skips lines of nested values.
  static func sections(_ text: String) -> [String: Section] {
    var sections: [String: Section] = [:]
    var name: String?
    for line in text.unicodeScalars.split(whereSeparator: { $0 == "\n" || $0 == "\r" }) {
      guard let first = line.first, !"#; \t".unicodeScalars.contains(first) else { continue }
      if first == "[" {
        name = line.firstIndex(of: "]").map { sectionName(line[..<$0].dropFirst()) }
        if let name, sections[name] == nil { sections[name] = [:] }
      } else if let name, let split = line.firstIndex(where: { $0 == "=" || $0 == ":" }) {
        let key = trimmed(line[..<split]).lowercased()
        sections[name]?[key] = trimmed(line[split...].dropFirst())
      }
    }
    return sections
  }

  /// Returns a section's name with one space after `profile`; the rest may be in quotes.
  private static func sectionName(_ text: Substring.UnicodeScalarView) -> String {
    let text = trimmed(text)
    let parts = text.unicodeScalars.split(maxSplits: 1, whereSeparator: { $0 == " " || $0 == "\t" })
    guard parts.count == 2, String(parts[0]) == "profile" else { return text }
    var name = trimmed(parts[1]).unicodeScalars[...]
    if name.count > 1, let quote = name.first, quote == name.last, quote == "\"" || quote == "'" {
      name = name.dropFirst().dropLast()
    }
    return "profile \(String(name))"
  }

  private static func trimmed(_ text: Substring.UnicodeScalarView) -> String {
    var text = text
    while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return String(text)
  }

  var description: String { "profile \(profile)" }
  var customMirror: Mirror { Mirror(self, children: []) }
}

/// Returns the arguments of a command as a POSIX shell splits them, without expansion; nil when a
/// quote is not closed.
///
/// Source: Python's `shlex.split`, which botocore uses to read `credential_process`.
func commandArguments(_ text: String) -> [String]? {
  var arguments: [String] = []
  var argument: String.UnicodeScalarView?
  var quote: Unicode.Scalar?
  var rest = text.unicodeScalars[...]
  while let scalar = rest.popFirst() {
    switch (quote, scalar) {
    case (let open?, _) where scalar == open: quote = nil
    case ("'", _): argument?.append(scalar)
    case ("\"", "\\"):
      guard let next = rest.popFirst() else { return nil }
      if next != "\"" && next != "\\" { argument?.append(scalar) }
      argument?.append(next)
    case (.some, _): argument?.append(scalar)
    case (nil, "'"), (nil, "\""):
      (quote, argument) = (scalar, argument ?? .init())
    case (nil, "\\"):
      guard let next = rest.popFirst() else { return nil }
      argument = argument ?? .init()
      argument?.append(next)
    case (nil, " "), (nil, "\t"), (nil, "\n"), (nil, "\r"):
      if let ended = argument { arguments.append(String(ended)) }
      argument = nil
    case (nil, _):
      argument = argument ?? .init()
      argument?.append(scalar)
    }
  }
  if quote != nil { return nil }
  if let argument { arguments.append(String(argument)) }
  return arguments
}
