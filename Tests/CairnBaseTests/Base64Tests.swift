import CairnBase
import Foundation
import TestSupport
import Testing

@Suite("Base64")
struct Base64Tests {
  @Test("equals Foundation's for whole groups", arguments: 0..<40)
  func groups(count: Int) {
    var random = SeededGenerator(UInt64(count))
    let bytes = random.bytes(3 * count)
    #expect(Base64.text(bytes) == Data(bytes).base64EncodedString())
    #expect(Base64.bytes(Base64.text(bytes)) == bytes)
  }

  @Test("refuses other characters, padding and incomplete groups")
  func refused() {
    for text in ["A", "AAA", "AAA=", "AA==", "AAA-", "AAA ", "AAAé"] {
      #expect(Base64.bytes(text) == nil, "\(text)")
    }
    #expect(Base64.bytes("") == [])
  }
}
