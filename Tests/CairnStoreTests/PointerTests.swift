import CairnDocument
import CairnFiles
import CairnStore
import SystemPackage
import TestSupport
import Testing

@Suite("Pointers")
struct PointerTests {
  private static let oid = "4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393"
  private static let version = "version https://git-lfs.github.com/spec/v1\n"
  private static let canonical = version + "oid sha256:\(oid)\nsize 12345\n"

  /// How git-lfs classifies a file.
  enum Verdict: Int32, Sendable { case canonical = 0, notAPointer = 1, lenient = 2 }

  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let text: String
    let verdict: Verdict
    var testDescription: String { name }
  }

  private static func make(
    _ name: String, _ verdict: Verdict, version: String = version,
    oid: String = "oid sha256:\(oid)\n", size: String = "size 12345\n", extra: String = ""
  ) -> Case { Case(name: name, text: version + extra + oid + size, verdict: verdict) }

  static let cases: [Case] = [
    make("canonical", .canonical),
    make("an extension before oid", .canonical, extra: "ext-0-foo sha256:\(oid)\n"),
    make("the largest size", .canonical, size: "size 9223372036854775807\n"),
    make("no final LF", .lenient, size: "size 12345"),
    make("an extra LF at the end", .lenient, size: "size 12345\n\n"),
    make("a leading LF", .lenient, version: "\n" + version),
    Case(
      name: "CRLF",
      text: (version + "oid sha256:\(oid)\nsize 12345\n").split(separator: "\n")
        .joined(separator: "\r\n") + "\r\n", verdict: .lenient),
    make("the version of hawser", .lenient, version: "version https://hawser.github.com/spec/v1\n"),
    make("the version of git-media", .lenient, version: "version http://git-media.io/v/2\n"),
    make("size 0", .lenient, size: "size 0\n"),
    make("a leading zero", .lenient, size: "size 012345\n"),
    make("a plus sign", .lenient, size: "size +12\n"),
    make("an extension after oid", .lenient, size: "ext-0-foo sha256:\(oid)\nsize 12345\n"),
    make("a trailing line", .notAPointer, size: "size 12345\nfoo bar\n"),
    make("size before oid", .notAPointer, oid: "size 12345\n", size: "oid sha256:\(oid)\n"),
    make("an unknown key", .notAPointer, extra: "foo bar\n"),
    make("an upper-case oid", .notAPointer, oid: "oid sha256:\(oid.uppercased())\n"),
    make("SHA-1", .notAPointer, oid: "oid sha1:\(oid.prefix(40))\n"),
    make("a negative size", .notAPointer, size: "size -1\n"),
    make("two spaces", .notAPointer, size: "size  12345\n"),
    make("a size that is too large", .notAPointer, size: "size 9223372036854775808\n"),
    make("no size", .notAPointer, size: ""),
    make("no oid", .notAPointer, oid: ""),
    make("no version", .notAPointer, version: ""),
    make("the version twice", .notAPointer, extra: version),
    make("the oid twice", .notAPointer, extra: "oid sha256:\(oid)\n"),
    make("the size twice", .notAPointer, size: "size 1\nsize 12345\n"),
    make(
      "a version of the future", .notAPointer,
      version: "version https://git-lfs.github.com/spec/v2\n"),
    make("a short oid", .notAPointer, oid: "oid sha256:\(oid.dropLast())\n"),
    make("an empty line between", .lenient, oid: "oid sha256:\(oid)\n\n"),
    make("an extension without a name", .notAPointer, extra: "ext-0 sha256:\(oid)\n"),
    make("an extension without a number", .notAPointer, extra: "ext-foo sha256:\(oid)\n"),
    make("an extension that is no hash", .notAPointer, extra: "ext-0-foo bar\n"),
    make("a carriage return between", .notAPointer, oid: "oid sha256:\(oid)\r"),
    make("a line separator between", .notAPointer, oid: "oid sha256:\(oid)\u{2028}"),
    make("a tab", .notAPointer, size: "size\t12345\n"),
    Case(name: "text", text: "hello\n", verdict: .notAPointer),
    Case(
      name: "1023 bytes",
      text: canonical + String(repeating: "\n", count: 1023 - canonical.utf8.count),
      verdict: .lenient),
    make("an extension before version", .lenient, version: "ext-0-foo sha256:\(oid)\n" + version),
    make("an extension at the end", .notAPointer, size: "size 1\next-0-foo sha256:\(oid)\n"),
    make(
      "two extensions of one priority", .notAPointer,
      extra: "ext-0-foo sha256:\(oid)\next-0-bar sha256:\(oid)\n"),
    make(
      "two extensions", .canonical,
      extra: "ext-0-foo sha256:\(oid)\next-1-bar sha256:\(oid)\n"),
    make("spaces around", .lenient, version: " \t" + version, size: "size 12345 \n\t"),
    make("a space at the end of a line", .notAPointer, oid: "oid sha256:\(oid) \n"),
    make("no newline after the version", .notAPointer, version: String(version.dropLast())),
  ]

  @Test("writes git-lfs's test vector")
  func vector() throws {
    let pointer = Pointer(id: try #require(PhotoID(PointerTests.oid)), size: 12345)
    #expect(pointer.bytes == Array(PointerTests.canonical.utf8))
    #expect(Pointer(bytes: pointer.bytes) == pointer)
    let sandbox = try Sandbox()
    try sandbox.write(pointer.bytes, to: "pointer")
    let id = try sandbox.run("git", ["hash-object", "--no-filters", "pointer"]).stdout
    #expect(id == "60c8d8ab2adcf57a391163a7eeb0cdb8bf348e44\n")
  }

  @Test("reads what git-lfs reads, and nothing else", arguments: cases)
  func leniency(_ sample: Case) throws {
    let bytes = Array(sample.text.utf8)
    let pointer = Pointer(bytes: bytes)
    #expect((pointer != nil) == (sample.verdict != .notAPointer))
    // cairn writes neither extensions nor pointers of size 0.
    if !sample.text.contains("ext-"), pointer?.size != 0 {
      #expect((pointer?.bytes == bytes) == (sample.verdict == .canonical))
    }
    #expect(pointer.map { $0.id.description } ?? PointerTests.oid == PointerTests.oid)
    guard let verdict = try PointerTests.ask(bytes) else { return }
    #expect(verdict == sample.verdict, "git-lfs disagrees")
  }

  @Test("accepts or rejects a damaged pointer as git-lfs does", arguments: UInt64(0)..<8)
  func damage(seed: UInt64) throws {
    var random = SeededGenerator(seed)
    let pieces = [
      "\n", " ", "\r\n", "0", "-", "+", "a", "oid", "size 1\n", "ext-1-a sha256:", "é", "\t",
    ]
    for _ in 0..<12 {
      var text = Array(PointerTests.canonical.utf8)
      for _ in 0..<Int.random(in: 1...2, using: &random) {
        let index = Int.random(in: 0..<text.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: text.remove(at: index)
        case 1: text.insert(contentsOf: pieces.randomElement(using: &random)!.utf8, at: index)
        default: text[index] = UInt8.random(in: 32..<127, using: &random)
        }
      }
      guard let verdict = try PointerTests.ask(text) else { return }
      #expect(
        (Pointer(bytes: text) != nil) == (verdict != .notAPointer),
        "\(String(decoding: text, as: UTF8.self))")
    }
  }

  @Test("rejects pointers of 1024 bytes and more, as specified")
  func tooLong() {
    for length in [1023, 1024] {
      let padding = String(repeating: "\n", count: length - PointerTests.canonical.utf8.count)
      let bytes = Array((PointerTests.canonical + padding).utf8)
      #expect((Pointer(bytes: bytes) != nil) == (length == 1023))
    }
  }

  @Test("does not read an empty file as a pointer")
  func empty() { #expect(Pointer(bytes: [UInt8]()) == nil) }

  /// Returns git-lfs's verdict; records an issue and returns nil if git-lfs is not installed.
  private static func ask(_ bytes: [UInt8]) throws -> Verdict? {
    guard Programs.isInstalled("git-lfs") else {
      Issue.record("git-lfs is not installed: run `make setup`")
      return nil
    }
    let sandbox = try Sandbox()
    try sandbox.write(bytes, to: "pointer")
    func check(_ options: String...) throws -> Int32 {
      try sandbox.run("git-lfs", ["pointer", "--check"] + options + ["--file=pointer"]).status
    }
    let (status, lenient) = (try check("--strict"), try check())
    #expect((lenient == 0) == (status != 1))
    return try #require(Verdict(rawValue: status) as Verdict?)
  }
}
