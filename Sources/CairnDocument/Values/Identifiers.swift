internal import CairnBase
internal import Crypto

/// One copy of a dataset: 32 random bits, written as eight hexadecimal digits.
public struct ReplicaID: Hashable, Comparable, Sendable, CustomStringConvertible {
  public let rawValue: UInt32

  public init(rawValue: UInt32) { self.rawValue = rawValue }

  public init?(_ text: String) {
    guard text.utf8.count == 8, let value = Hex.number(text.utf8) else { return nil }
    rawValue = UInt32(value)
  }

  public static func < (a: ReplicaID, b: ReplicaID) -> Bool { a.rawValue < b.rawValue }

  public var description: String { Hex.text(UInt64(rawValue), digits: 8) }
}

/// A photo: the SHA-256 of its bytes, which is also its blob's and its Git LFS object id.
public struct PhotoID: Hashable, Sendable {
  private let words: (UInt64, UInt64, UInt64, UInt64)

  /// - Precondition: `digest` has 32 bytes.
  public init(digest: some Sequence<UInt8>) {
    var bytes = digest.makeIterator()
    func word() -> UInt64 { (0..<8).reduce(0) { value, _ in value << 8 | UInt64(bytes.next()!) } }
    words = (word(), word(), word(), word())
  }

  package init?(utf8 text: UnsafeBufferPointer<UInt8>) {
    func word(_ index: Int) -> UInt64? {
      Hex.number(UnsafeBufferPointer(rebasing: text[16 * index..<16 * index + 16]))
    }
    guard text.count == 64, let a = word(0), let b = word(1), let c = word(2), let d = word(3)
    else { return nil }
    words = (a, b, c, d)
  }

  /// The 32 bytes of the digest.
  public var digest: [UInt8] {
    [words.0, words.1, words.2, words.3].flatMap { word in
      (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * UInt64($0))) }
    }
  }

  /// The first byte of the digest.
  package var firstByte: UInt8 { UInt8(truncatingIfNeeded: words.0 >> 56) }

  /// The first six bytes, as a number.
  var prefix: UInt64 { words.0 >> 16 }

  public static func == (a: PhotoID, b: PhotoID) -> Bool { a.words == b.words }

  public func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}

extension PhotoID: Comparable, CustomStringConvertible {
  public init?(_ text: String) {
    var text = text
    guard let id = text.withUTF8(PhotoID.init(utf8:)) else { return nil }
    self = id
  }

  public static func < (a: PhotoID, b: PhotoID) -> Bool { a.words < b.words }

  public var description: String {
    String(unsafeUninitializedCapacity: 64) { buffer in
      write(into: buffer)
      return 64
    }
  }

  func write(into buffer: UnsafeMutableBufferPointer<UInt8>) {
    Hex.write(words.0, digits: 16, to: buffer, at: 0)
    Hex.write(words.1, digits: 16, to: buffer, at: 16)
    Hex.write(words.2, digits: 16, to: buffer, at: 32)
    Hex.write(words.3, digits: 16, to: buffer, at: 48)
  }

  /// The first digits, for display.
  public var short: String { String(description.prefix(12)) }
}

/// An id of random bits, written as hexadecimal digits: unique and without meaning.
public protocol RandomID: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The number of hexadecimal digits, four bits each.
  static var digits: Int { get }
  var text: String { get }
  init(unchecked text: String)
}

extension RandomID {
  public init?(_ text: String) {
    guard text.utf8.count == Self.digits, text.utf8.allSatisfy({ Hex.value($0) != nil }) else {
      return nil
    }
    self.init(unchecked: text)
  }

  /// Creates an id from 64-bit random numbers.
  public init(random: () -> UInt64) {
    var text: [UInt8] = []
    while text.count < Self.digits {
      var bits = random()
      for _ in 0..<16 {
        text.append(Hex.digit(UInt8(bits & 15)))
        bits >>= 4
      }
    }
    self.init(unchecked: String(decoding: text.prefix(Self.digits), as: UTF8.self))
  }

  public var description: String { text }

  public static func < (a: Self, b: Self) -> Bool { a.text < b.text }
}

/// A pin: 80 random bits.
public struct PinID: RandomID {
  public static let digits = 20
  public let text: String
  public init(unchecked text: String) { self.text = text }
}

/// A run of a model: 80 random bits.
public struct RunID: RandomID {
  public static let digits = 20
  public let text: String
  public init(unchecked text: String) { self.text = text }
}

/// A dataset and its clones: 80 random bits.
public struct DatasetID: RandomID {
  public static let digits = 20
  public let text: String
  public init(unchecked text: String) { self.text = text }
}

/// A region within one photo's labels: 32 random bits.
public struct RegionID: RandomID {
  public static let digits = 8
  public let text: String
  public init(unchecked text: String) { self.text = text }
}

/// Returns the first eight hexadecimal digits of the SHA-256 of `text`.
func shortHash(_ text: String) -> String { hexHash(Array(text.utf8), digits: 8) }

/// Returns the first hexadecimal digits of the SHA-256 of `bytes`.
package func hexHash(_ bytes: [UInt8], digits: Int) -> String {
  String(Hex.text(SHA256.hash(data: bytes)).prefix(digits))
}
