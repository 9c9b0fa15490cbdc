internal import CairnBase
internal import CairnGit
internal import CairnProcess
internal import CairnTransport

/// A session with `git-lfs-transfer` on another machine, over an OpenSSH child process, which handles
/// `~/.ssh/config`, agents and host keys. Use it from one thread at a time.
///
/// It throws a ``TransferError``, or the error of a closure that it calls; after that it accepts no
/// more requests.
///
/// Source: git-lfs, docs/proposals/ssh_adapter.md.
final class LFSTransferSession: @unchecked Sendable {
  /// The part of a response between its status and its data: `key=value`.
  typealias Arguments = [String: String]

  private let address: String
  private let direction: ImageDirection
  private let child: ChildProcess
  private let timeout: TransportTimeouts
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
  private var decoder = LFSTransferDecoder()
  private var hasResponded = false
  /// Whether a request is unfinished, so that the session can no longer be used.
  private var isBroken = true

  /// Maximum number of packets in a response, without those of an image.
  private static let packetLimit = 10_000
  /// Size of the packets in which an image is sent, as git-lfs sends it, in bytes.
  private static let pieceSize = 32 << 10

  /// - Parameter mayPrompt: Whether ssh may ask for a password.
  init(
    _ address: SSHAddress, _ direction: ImageDirection, _ context: TransportContext, mayPrompt: Bool
  ) throws {
    (self.address, self.direction, timeout) = (address.text, direction, context.timeout)
    let command = "git-lfs-transfer \(SSHCommand.word(address.path)) \(direction.rawValue)"
    child = try context.startSession(with: address) { (ssh) throws(TransportError) in
      try ssh.call(address, running: command, mayPrompt: mayPrompt)
    }
    try handshake()
  }

  deinit {
    buffer.deallocate()
    if isBroken { return }
    try? write(LFSTransferSession.request("quit"))
    child.end(timeout: 2000)
  }

  private func handshake() throws {
    var isSupported = false
    for _ in 0..<LFSTransferSession.packetLimit {
      guard case .data(let line) = try receive() else { break }
      if LFSTransferSession.text(line) == "version=1" { isSupported = true }
    }
    guard isSupported else {
      throw violation("it does not support version 1 of the protocol of git-lfs-transfer")
    }
    isBroken = false
    _ = try exchange("version 1")
  }

  // MARK: Requests

  /// Sends a request and reads the response.
  ///
  /// - Parameters:
  ///   - lines: The lines after the arguments; nil for a request that has only arguments.
  ///   - size: The number of bytes of an image in the response.
  ///   - take: Called with the arguments and each packet of the data.
  /// - Returns: The arguments of the response.
  func exchange(
    _ command: String, _ arguments: [String] = [], lines: [String]? = nil, expecting size: Int = 0,
    _ take: (Arguments, ArraySlice<UInt8>) throws -> Void = { _, _ in }
  ) throws -> Arguments {
    try whole {
      try write(LFSTransferSession.request(command, arguments, lines: lines))
      return try response(expecting: size, take)
    }
  }

  /// Sends a request with an image and reads the response.
  ///
  /// - Parameter next: Returns the next bytes of the image; nil at the end.
  func send(_ command: String, _ arguments: [String], next: () throws -> [UInt8]?) throws {
    try whole {
      var packets = LFSTransferSession.request(command, arguments, lines: [])
      packets.removeLast(PacketEncoder.flush.count)
      while let piece = try next() {
        for start in stride(from: 0, to: piece.count, by: LFSTransferSession.pieceSize) {
          packets += PacketEncoder.packet(
            Array(piece[start...].prefix(LFSTransferSession.pieceSize)))
        }
        try write(packets)
        packets = []
      }
      try write(packets + PacketEncoder.flush)
      _ = try response { _, _ in }
    }
  }

  /// Runs an exchange; the session is of no use after a part of one.
  private func whole<Result>(_ exchange: () throws -> Result) throws -> Result {
    isBroken = true
    let result = try exchange()
    isBroken = false
    return result
  }

  private static func request(
    _ command: String, _ arguments: [String] = [], lines: [String]? = nil
  ) -> [UInt8] {
    var packets = ([command] + arguments).flatMap { PacketEncoder.packet($0 + "\n") }
    if let lines {
      packets += LFSTransferPacket.delimiterBytes
      packets += lines.flatMap { PacketEncoder.packet($0 + "\n") }
    }
    return packets + PacketEncoder.flush
  }

  // MARK: Responses

  private func response(
    expecting size: Int = 0, _ take: (Arguments, ArraySlice<UInt8>) throws -> Void
  ) throws -> Arguments {
    guard case .data(let first) = try receive(), let code = LFSTransferSession.status(first) else {
      throw violation("its response has no status")
    }
    let isSuccess = 200..<300 ~= code
    var arguments: Arguments = [:]
    var message = ServerMessages()
    var hasDelimiter = false
    // A packet has at least one byte of an image.
    for _ in 0..<(LFSTransferSession.packetLimit + size) {
      switch try receive() {
      case .flush:
        guard isSuccess else { throw refusal(code, message.sentence) }
        return arguments
      case .delimiter where hasDelimiter: throw violation("its response has two parts with data")
      case .delimiter: hasDelimiter = true
      case .data(let bytes) where !hasDelimiter:
        let parts = LFSTransferSession.text(bytes)
          .split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        arguments[String(parts[0])] = parts.count > 1 ? String(parts[1]) : ""
      case .data(let bytes) where isSuccess: try take(arguments, bytes)
      case .data(let bytes): message.append(bytes)
      }
    }
    throw violation("its response does not end")
  }

  private static func status(_ line: ArraySlice<UInt8>) -> Int? {
    let words = text(line).split(separator: " ")
    guard words.count == 2, words[0] == "status", words[1].utf8.count == 3 else { return nil }
    return Int(words[1])
  }

  /// Returns the text of a line, without its line feed.
  static func text(_ line: ArraySlice<UInt8>) -> String {
    let end = line.last == UInt8(ascii: "\n") ? line.endIndex - 1 : line.endIndex
    return String(decoding: line[..<end], as: UTF8.self)
  }

  /// Returns the error of a refused request; the codes are those of HTTP.
  private func refusal(_ code: Int, _ message: String) -> TransferError {
    let (kind, scope) = TransferError.meaning(ofStatus: code)
    // A token may have expired; another query obtains a new one.
    let mayBeExpired = code == 401 || code == 403
    let isTransient =
      mayBeExpired || code == 408 || code == 429 || 500...599 ~= code && kind != .noSpace
    return TransferError(
      TransportError(
        kind, address, "it refused with status \(code)" + (message.isEmpty ? "" : ": \(message)")),
      scope: mayBeExpired && direction == .download ? .image : scope, isTransient: isTransient,
      attempts: mayBeExpired ? 2 : .max)
  }

  private func violation(_ reason: String) -> TransferError {
    isBroken = true
    return TransferError(TransportError(.protocolViolation, address, reason), scope: .remote)
  }

  // MARK: The program

  private func receive() throws -> LFSTransferPacket {
    do {
      while true {
        if let packet = try decoder.next() {
          hasResponded = true
          return packet
        }
        let count = try child.read(
          into: buffer, timeout: hasResponded ? timeout.between : timeout.first)
        if count == 0 { throw ended() }
        decoder.feed(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      }
    } catch let failure as ChildProcess.Failure {
      throw TransferError(failure, address)
    } catch is PacketDecoder.Malformed {
      throw violation(
        hasResponded
          ? "it violates the protocol of git-lfs-transfer"
          : "something there prints text before the protocol, perhaps a shell startup file")
    }
  }

  private func write(_ packets: [UInt8]) throws {
    do {
      try packets.withUnsafeBytes { try child.write($0, timeout: timeout.between) }
    } catch ChildProcess.Failure.closed {
      throw ended()
    } catch let failure as ChildProcess.Failure {
      throw TransferError(failure, address)
    }
  }

  /// Returns the error for a program that ended before it responded.
  private func ended() -> TransferError {
    let status = child.end()
    return TransferError(
      ssh: SSHFailure.error(address, status: status, child.stderrText, hasResponded: hasResponded))
  }
}
