import CairnTerminal
import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("QR codes")
struct QRCodeTests {
  /// Returns an image of a code, 4 pixels a module, as a portable bitmap.
  private func bitmap(_ code: QRCode) -> String {
    let (border, scale) = (4, 4)
    let size = (code.side + 2 * border) * scale
    let rows = (0..<size).map { y in
      (0..<size).map { x in
        code[y / scale - border, x / scale - border] ? "1" : "0"
      }.joined(separator: " ")
    }
    return "P1\n\(size) \(size)\n\(rows.joined(separator: "\n"))\n"
  }

  @Test(
    "a reader decodes them, in every version", .enabled(if: Programs.isInstalled("zbarimg")),
    arguments: [1, 17, 18, 32, 33, 53, 54, 78, 79, 106, 107, 134])
  func decodes(length: Int) throws {
    let alphabet = Array("https://192.168.1.20:8642/?token=0123456789abcdef")
    let text = String((0..<length).map { alphabet[($0 * 7 + length) % alphabet.count] })
    let code = try #require(QRCode(text))
    let directory = TemporaryDirectory()
    try directory.write(bitmap(code), to: "code.pbm")
    let output = try Command(
      "zbarimg", ["--quiet", "--raw", "--nodbus", "code.pbm"], in: directory.root.string
    ).run()
    #expect(output.stdout.trimmingCharacters(in: .newlines) == text, "\(output.stderr)")
  }

  @Test("are as small as possible", arguments: [(17, 21), (18, 25), (78, 33), (134, 41)])
  func sizes(length: Int, side: Int) {
    #expect(QRCode(String(repeating: "x", count: length))?.side == side)
  }

  @Test("do not hold a long text")
  func refuses() {
    #expect(QRCode(String(repeating: "x", count: 135)) == nil)
    #expect(QRCode(String(repeating: "ä", count: 68)) == nil)
  }

  @Test("are printed with two rows a line and a border")
  func lines() throws {
    let code = try #require(QRCode("cairn"))
    let lines = code.lines
    #expect(lines.count == 15 && lines.allSatisfy { $0.count == 29 })
    #expect(lines[0] == String(repeating: "█", count: 29))
    // The upper left finder pattern: seven dark modules above a dark one and five light ones.
    #expect(lines[2].hasPrefix("████ ▄▄▄▄▄ █"))
  }
}
