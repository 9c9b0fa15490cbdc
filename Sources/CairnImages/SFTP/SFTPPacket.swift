/// A request to an sftp server, in version 3 of the protocol.
///
/// Source: draft-ietf-secsh-filexfer-02, sections 3 and 6; the names with an “@” are in OpenSSH's
/// PROTOCOL, section 4.
enum SFTPRequest: Equatable {
  /// Asks for version 3.
  case initialize
  case openToRead(String)
  /// Fails if the file exists. The new file is readable as far as the server allows, and not
  /// writable later.
  case create(String)
  /// Opens an existing file to read and to write it.
  case openToContinue(String)
  /// Changes the permissions of a file.
  case setMode(String, UInt32)
  case close(SFTPHandle)
  /// Offset and count are in bytes.
  case read(SFTPHandle, offset: Int, count: Int)
  case write(SFTPHandle, offset: Int, ArraySlice<UInt8>)
  /// Follows symbolic links.
  case attributes(String)
  case makeDirectory(String)
  case openDirectory(String)
  case readDirectory(SFTPHandle)
  case remove(String)
  /// Fails if the new name exists.
  case rename(String, to: String)
  /// `posix-rename@openssh.com`: replaces an existing file.
  case replace(String, to: String)
  /// `fsync@openssh.com`.
  case sync(SFTPHandle)
  /// `statvfs@openssh.com`: the free space at a path.
  case space(String)
}

/// A server's identifier of an open file.
typealias SFTPHandle = [UInt8]

extension SFTPRequest {
  static let version: UInt32 = 3

  /// Returns the packet, its length first; ``initialize`` has no request number.
  func packet(_ id: UInt32) -> [UInt8] {
    var body = SFTPWriter()
    switch self {
    case .initialize:
      body.byte(1)
      body.number(SFTPRequest.version)
    case .openToRead(let path): body.request(3, id, path, numbers: 0x01, 0)
    case .create(let path):
      // Write, create, exclusive; only the permissions among the attributes.
      body.request(3, id, path, numbers: 0x02 | 0x08 | 0x20, 0x04, 0o100444)
    case .openToContinue(let path): body.request(3, id, path, numbers: 0x01 | 0x02, 0)
    case .setMode(let path, let mode): body.request(9, id, path, numbers: 0x04, mode)
    case .close(let handle): body.request(4, id, handle)
    case .read(let handle, let offset, let count):
      body.request(5, id, handle)
      body.long(offset)
      body.number(UInt32(count))
    case .write(let handle, let offset, let bytes):
      body.request(6, id, handle)
      body.long(offset)
      body.string(bytes)
    case .openDirectory(let path): body.request(11, id, path)
    case .readDirectory(let handle): body.request(12, id, handle)
    case .remove(let path): body.request(13, id, path)
    case .makeDirectory(let path): body.request(14, id, path, numbers: 0)
    case .attributes(let path): body.request(17, id, path)
    case .rename(let old, let new):
      body.request(18, id, old)
      body.string(new.utf8)
    case .replace(let old, let new):
      body.request(200, id, SFTPExtension.replace.rawValue)
      body.string(old.utf8)
      body.string(new.utf8)
    case .sync(let handle):
      body.request(200, id, SFTPExtension.sync.rawValue)
      body.string(handle)
    case .space(let path):
      body.request(200, id, SFTPExtension.space.rawValue)
      body.string(path.utf8)
    }
    return body.packet
  }
}

/// An extension of the protocol, by the name under which a server offers it.
enum SFTPExtension: String {
  case replace = "posix-rename@openssh.com"
  case sync = "fsync@openssh.com"
  case space = "statvfs@openssh.com"
}

/// A writer of packets.
///
/// Source: RFC 4251, section 5: numbers with the highest byte first, strings after their length.
private struct SFTPWriter {
  /// The first four bytes are for the length.
  private var bytes: [UInt8] = [0, 0, 0, 0]

  mutating func byte(_ value: UInt8) { bytes.append(value) }

  mutating func number(_ value: UInt32) {
    withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func long(_ value: Int) {
    withUnsafeBytes(of: UInt64(value).bigEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func string(_ value: some Collection<UInt8>) {
    number(UInt32(value.count))
    bytes.append(contentsOf: value)
  }

  mutating func request(_ type: UInt8, _ id: UInt32, _ handle: SFTPHandle) {
    byte(type)
    number(id)
    string(handle)
  }

  mutating func request(_ type: UInt8, _ id: UInt32, _ path: String, numbers: UInt32...) {
    request(type, id, Array(path.utf8))
    for value in numbers { number(value) }
  }

  var packet: [UInt8] {
    var packet = bytes
    withUnsafeBytes(of: UInt32(bytes.count - 4).bigEndian) {
      packet.replaceSubrange(0..<4, with: $0)
    }
    return packet
  }
}
