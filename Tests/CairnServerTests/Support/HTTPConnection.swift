import Dispatch
import Foundation
import Synchronization

/// A connection that sends exactly the given bytes, also those that no HTTP client would send.
final class HTTPConnection: @unchecked Sendable {
  struct Failure: Error {
    var received = ""
  }

  private let descriptor: Int32
  private let sending = DispatchQueue(label: "sending")

  /// - Parameter address: The IPv4 address to connect to.
  init(port: Int, address host: UInt32 = 0x7F00_0001) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = host.bigEndian
    var limit = timeval(tv_sec: 240, tv_usec: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else { throw Failure() }
  }

  deinit { close(descriptor) }

  /// Sends bytes on a thread of its own: a server that rejects a request need not read all of it.
  func send(_ bytes: some Collection<UInt8>) {
    let bytes = Array(bytes)
    sending.async { [self] in
      var sent = 0
      while sent < bytes.count {
        let count = bytes[sent...].withUnsafeBytes {
          Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        // A connection that the server closed is noticed when its response is read.
        if count <= 0 { return }
        sent += count
      }
    }
  }

  /// Ends the connection, as a browser does that is closed.
  func leave() { shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// Whether bytes, or the end, can be received without waiting.
  var canReceive: Bool {
    var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&state, 1, 0) == 1
  }

  /// Returns the next bytes; none at the end.
  ///
  /// - Throws: if the test has reached its time limit: heartbeats go on forever.
  func receive() async throws -> [UInt8] {
    try Task.checkCancellation()
    return try await onThread { [self] in
      var buffer = [UInt8](repeating: 0, count: 65_536)
      var count: Int
      repeat {
        count = recv(descriptor, &buffer, buffer.count, 0)
      } while count < 0 && errno == EINTR
      if count < 0 { throw Failure() }
      return Array(buffer.prefix(count))
    }
  }

  /// Returns everything up to the end.
  func receiveAll() async throws -> [UInt8] {
    var all: [UInt8] = []
    while true {
      let bytes = try await receive()
      if bytes.isEmpty { return all }
      all += bytes
    }
  }

  /// Receives until a text has arrived, and returns all received.
  func receive(until text: String) async throws -> String {
    var all = ""
    while !all.contains(text) {
      let bytes = try await receive()
      guard !bytes.isEmpty else { throw Failure(received: all) }
      all += String(decoding: bytes, as: UTF8.self)
    }
    return all
  }
}

/// Runs blocking work on a thread that Swift's tasks do not share: the server needs those.
func onThread<Value: Sendable>(
  _ body: @escaping @Sendable () throws -> Value
) async throws -> Value {
  // The value goes through a lock, which the thread sanitizer sees, as it does not see that a
  // continuation is resumed before the task waits for it.
  let result = Mutex<Result<Value, any Error>?>(nil)
  await withCheckedContinuation { continuation in
    DispatchQueue.global().async {
      let outcome = Result(catching: body)
      result.withLock { $0 = outcome }
      continuation.resume()
    }
  }
  guard let outcome = result.withLock({ $0 }) else { throw CancellationError() }
  return try outcome.get()
}
