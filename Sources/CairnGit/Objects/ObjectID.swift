internal import CLibgit2
internal import CairnBase
internal import Crypto

/// The SHA-1 of a git object.
public struct ObjectID: Hashable, Sendable {
  private let a: UInt64
  private let b: UInt64
  private let c: UInt32

  package static let zero = ObjectID(a: 0, b: 0, c: 0)

  private init(a: UInt64, b: UInt64, c: UInt32) { (self.a, self.b, self.c) = (a, b, c) }

  /// Reads 20 bytes. The argument label keeps a String, which Swift would pass as a pointer, from
  /// matching this initializer.
  init(reading bytes: UnsafeRawPointer) {
    a = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
    b = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    c = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 16, as: UInt32.self))
  }

  /// Computes the id of an object from its kind, size and bytes.
  package init(hashing kind: ObjectKind, _ bytes: some Collection<UInt8>) {
    var hash = Insecure.SHA1()
    ObjectID.withHeader(kind, size: bytes.count) { hash.update(bufferPointer: $0) }
    if bytes.withContiguousStorageIfAvailable({
      hash.update(bufferPointer: UnsafeRawBufferPointer($0))
    })
      == nil
    {
      hash.update(data: Array(bytes))
    }
    self = hash.finalize().withUnsafeBytes { ObjectID(reading: $0.baseAddress!) }
  }

  /// Calls `body` with the header that is hashed before an object's bytes: `blob 420` and a zero
  /// byte.
  private static func withHeader(
    _ kind: ObjectKind, size: Int, _ body: (UnsafeRawBufferPointer) -> Void
  ) {
    withUnsafeTemporaryAllocation(byteCount: 32, alignment: 1) { buffer in
      var start = buffer.count - 1
      buffer[start] = 0
      var rest = size
      repeat {
        start -= 1
        buffer[start] = UInt8(ascii: "0") + UInt8(rest % 10)
        rest /= 10
      } while rest > 0
      start -= 1
      buffer[start] = UInt8(ascii: " ")
      for byte in kind.rawValue.utf8.reversed() {
        start -= 1
        buffer[start] = byte
      }
      body(UnsafeRawBufferPointer(rebasing: buffer[start...]))
    }
  }

  /// The 20 bytes.
  package var bytes: [UInt8] { withBytes { Array($0) } }

  /// Calls `body` with the 20 bytes.
  func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    try withUnsafeBytes(of: (a.bigEndian, b.bigEndian, c.bigEndian)) {
      try body(UnsafeRawBufferPointer(rebasing: $0[..<20]))
    }
  }

  /// Evenly distributed bits, for a hash table of ids.
  var hash: UInt64 { b }

  package var isZero: Bool { self == .zero }

  /// The first of the 20 bytes, by which packs and directories fan out.
  var firstByte: Int { Int(a >> 56) }

  func withOID<Result>(_ body: (UnsafePointer<git_oid>) -> Result) -> Result {
    bytes.withUnsafeBytes { body($0.baseAddress!.assumingMemoryBound(to: git_oid.self)) }
  }

  init(_ oid: git_oid) { self = withUnsafeBytes(of: oid) { ObjectID(reading: $0.baseAddress!) } }
}

extension ObjectID: Comparable {
  public static func < (x: ObjectID, y: ObjectID) -> Bool { (x.a, x.b, x.c) < (y.a, y.b, y.c) }
}

extension ObjectID: CustomStringConvertible {
  /// Parses 40 hexadecimal digits.
  package init?(_ text: some StringProtocol) {
    guard text.utf8.count == 40, let bytes = Hex.bytes(text.utf8, allowingUpperCase: true) else {
      return nil
    }
    self = bytes.withUnsafeBytes { ObjectID(reading: $0.baseAddress!) }
  }

  public var description: String { withBytes { Hex.text($0) } }

  /// The first ten digits.
  public var short: String { String(description.prefix(10)) }
}

/// The kinds of git objects.
package enum ObjectKind: String, Sendable {
  case commit, tree, blob, tag

  init?(_ type: git_object_t) {
    switch type {
    case GIT_OBJECT_COMMIT: self = .commit
    case GIT_OBJECT_TREE: self = .tree
    case GIT_OBJECT_BLOB: self = .blob
    case GIT_OBJECT_TAG: self = .tag
    default: return nil
    }
  }

  var type: git_object_t {
    switch self {
    case .commit: GIT_OBJECT_COMMIT
    case .tree: GIT_OBJECT_TREE
    case .blob: GIT_OBJECT_BLOB
    case .tag: GIT_OBJECT_TAG
    }
  }
}
