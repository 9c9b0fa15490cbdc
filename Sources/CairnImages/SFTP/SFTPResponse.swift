/// A response of an sftp server.
///
/// Source: draft-ietf-secsh-filexfer-02, sections 4, 5 and 7.
enum SFTPResponse: Equatable {
  case version(UInt32, extensions: [String: String])
  case status(SFTPStatus)
  case handle(SFTPHandle)
  case data(ArraySlice<UInt8>)
  case names([SFTPName])
  case attributes(SFTPAttributes)
  case space(SFTPStatVFS)
}

/// The outcome of a request.
struct SFTPStatus: Equatable {
  /// Includes codes of later versions, which some servers send anyway.
  enum Code: UInt32 {
    case done = 0
    case endOfFile = 1
    case noSuchFile = 2
    case permissionDenied = 3
    case failure = 4
    case badMessage = 5
    case noConnection = 6
    case connectionLost = 7
    case unsupported = 8
    case writeProtected = 12
    case noSpace = 14
    case quotaExceeded = 15
  }

  /// Nil for an unknown code.
  let code: Code?
  /// The server's message, as received.
  let message: [UInt8]

  var isDone: Bool { code == .done }
}

/// The attributes of a file.
struct SFTPAttributes: Equatable {
  /// In bytes.
  var size: UInt64?
  /// Includes the type of the file, as in stat(2).
  var mode: UInt32?
  /// In seconds since 1970.
  var modified: UInt32?

  /// Whether it may be a regular file, not a directory or a device.
  var isFile: Bool { mode.map { $0 & 0o170000 == 0o100000 || $0 & 0o170000 == 0 } ?? true }
}

/// A directory entry.
struct SFTPName: Equatable {
  let name: [UInt8]
  let attributes: SFTPAttributes
}

/// The free space on a server's disk.
///
/// Source: OpenSSH's PROTOCOL, section 4.4.
struct SFTPStatVFS: Equatable {
  /// In bytes, available to us.
  let free: UInt64
  let isReadOnly: Bool
}

extension SFTPResponse {
  /// The response with a copy of its data, to be kept: the original holds all bytes that arrived with it.
  var copied: SFTPResponse {
    guard case .data(let bytes) = self else { return self }
    return .data(ArraySlice(Array(bytes)))
  }

  /// A packet that is not a valid response, or exceeds a limit.
  struct Malformed: Error, Equatable {
    let reason: String
  }

  /// Maximum size of a packet, in bytes: OpenSSH's own limit.
  static let sizeLimit = 256 << 10

  private static let handleLimit = 256

  /// Reads a packet without its length.
  ///
  /// - Returns: The number of the request, 0 for ``SFTPRequest/initialize``, and the response.
  static func read(_ packet: ArraySlice<UInt8>) throws(Malformed) -> (UInt32, SFTPResponse) {
    var reader = SFTPReader(packet)
    let type = try reader.byte()
    // A version packet has the version instead of a number.
    let id = try reader.number()
    switch type {
    case 2: return (0, .version(id, extensions: try extensions(&reader)))
    case 101: return (id, .status(try status(&reader)))
    case 102:
      let handle = try reader.string()
      guard handle.count <= handleLimit else { throw Malformed(reason: "a handle is too long") }
      return (id, .handle(Array(handle)))
    case 103: return (id, .data(try reader.string()))
    case 104: return (id, .names(try names(&reader)))
    case 105: return (id, .attributes(try attributes(&reader)))
    case 201: return (id, .space(try space(&reader)))
    default: throw Malformed(reason: "a packet has the unknown type \(type)")
    }
  }

  private static func extensions(_ reader: inout SFTPReader) throws(Malformed) -> [String: String] {
    var extensions: [String: String] = [:]
    while !reader.isAtEnd {
      let name = String(decoding: try reader.string(), as: UTF8.self)
      extensions[name] = String(decoding: try reader.string(), as: UTF8.self)
    }
    return extensions
  }

  private static func status(_ reader: inout SFTPReader) throws(Malformed) -> SFTPStatus {
    let code = SFTPStatus.Code(rawValue: try reader.number())
    // Old servers omit the message.
    return SFTPStatus(code: code, message: reader.isAtEnd ? [] : Array(try reader.string()))
  }

  private static func names(_ reader: inout SFTPReader) throws(Malformed) -> [SFTPName] {
    let count = try reader.number()
    var names: [SFTPName] = []
    // Each entry takes some bytes, so a count that is too high soon reaches the end.
    for _ in 0..<count {
      let name = Array(try reader.string())
      _ = try reader.string()
      names.append(SFTPName(name: name, attributes: try attributes(&reader)))
    }
    return names
  }

  private static func attributes(_ reader: inout SFTPReader) throws(Malformed) -> SFTPAttributes {
    let flags = try reader.number()
    var attributes = SFTPAttributes()
    if flags & 0x01 != 0 { attributes.size = try reader.long() }
    if flags & 0x02 != 0 { _ = try (reader.number(), reader.number()) }
    if flags & 0x04 != 0 { attributes.mode = try reader.number() }
    if flags & 0x08 != 0 {
      _ = try reader.number()
      attributes.modified = try reader.number()
    }
    if flags & 0x8000_0000 != 0 {
      for _ in 0..<(try reader.number()) { _ = try (reader.string(), reader.string()) }
    }
    return attributes
  }

  private static func space(_ reader: inout SFTPReader) throws(Malformed) -> SFTPStatVFS {
    var fields: [UInt64] = []
    for _ in 0..<11 { fields.append(try reader.long()) }
    let (free, isTooMany) = fields[1].multipliedReportingOverflow(by: fields[4])
    return SFTPStatVFS(free: isTooMany ? .max : free, isReadOnly: fields[9] & 1 != 0)
  }
}

/// A reader of packets.
private struct SFTPReader {
  private var rest: ArraySlice<UInt8>

  init(_ packet: ArraySlice<UInt8>) { rest = packet }

  var isAtEnd: Bool { rest.isEmpty }

  private mutating func take(_ count: Int) throws(SFTPResponse.Malformed) -> ArraySlice<UInt8> {
    guard count <= rest.count else { throw SFTPResponse.Malformed(reason: "a packet is truncated") }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }

  mutating func byte() throws(SFTPResponse.Malformed) -> UInt8 { try take(1).first! }

  mutating func number() throws(SFTPResponse.Malformed) -> UInt32 {
    try take(4).reduce(0) { $0 << 8 | UInt32($1) }
  }

  mutating func long() throws(SFTPResponse.Malformed) -> UInt64 {
    try take(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  mutating func string() throws(SFTPResponse.Malformed) -> ArraySlice<UInt8> {
    try take(Int(try number()))
  }
}

/// A decoder that finds the packets in a stream.
struct SFTPDecoder {
  private var bytes: [UInt8] = []
  private var start = 0

  mutating func feed(_ piece: UnsafeRawBufferPointer) {
    // Release used bytes from time to time.
    if start > SFTPResponse.sizeLimit || start == bytes.count {
      bytes.removeSubrange(..<start)
      start = 0
    }
    bytes.append(contentsOf: piece)
  }

  /// Returns the next packet without its length; nil when it is incomplete.
  mutating func next() throws(SFTPResponse.Malformed) -> ArraySlice<UInt8>? {
    guard bytes.count - start >= 4 else { return nil }
    let length = bytes[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
    guard (5...SFTPResponse.sizeLimit).contains(length) else {
      throw SFTPResponse.Malformed(reason: "a packet has \(length) bytes")
    }
    guard bytes.count - start - 4 >= length else { return nil }
    defer { start += 4 + length }
    return bytes[start + 4..<start + 4 + length]
  }
}
