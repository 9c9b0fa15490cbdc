package import CairnProcess
internal import Foundation
internal import Testing

/// Starts a server on a free port, and returns when it listens.
///
/// Another program may take the port first; then the server ends and is started on another port.
package func startServer(
  _ name: String, _ start: (_ port: UInt16) throws -> ChildProcess
) throws -> (port: UInt16, process: ChildProcess) {
  var stderrText = ""
  for _ in 0..<5 {
    let port = try freePort()
    let process = try start(port)
    // On a busy machine a server may take long to start.
    for _ in 0..<(Command.timeLimitSeconds * 40) {
      if process.hasEnded() { break }
      let isListening = try accepts(port)
      usleep(25_000)
      // Another program may be listening, and our server about to end.
      if isListening, !process.hasEnded() { return (port, process) }
    }
    process.end(timeout: 0)
    stderrText = process.stderrText.sentence
  }
  throw ServerDoesNotListen(name: name, stderrText: stderrText)
}

private struct ServerDoesNotListen: Error {
  var name, stderrText: String
}

/// Returns a port of 127.0.0.1 on which no program is listening.
///
/// It is outside the range of outgoing connections, whose ports may be in use a moment later
/// (Linux: `net.ipv4.ip_local_port_range`, from 32768 on).
package func freePort() throws -> UInt16 {
  for _ in 0..<1000 {
    let port = UInt16.random(in: 10_000..<32_768)
    if try withSocket(port, { bind($0, $1, $2) }) == 0 { return port }
  }
  throw ServerDoesNotListen(name: "any server", stderrText: "no free port")
}

private func accepts(_ port: UInt16) throws -> Bool {
  try withSocket(port) { connect($0, $1, $2) } == 0
}

/// Calls `body` with a new socket and the address of a port of 127.0.0.1.
private func withSocket(
  _ port: UInt16, _ body: (CInt, UnsafePointer<sockaddr>, socklen_t) -> CInt
) throws -> CInt {
  #if canImport(Glibc)
    let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
  #else
    let descriptor = socket(AF_INET, SOCK_STREAM, 0)
  #endif
  try #require(descriptor >= 0)
  defer { close(descriptor) }
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = port.bigEndian
  address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
  return withUnsafePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      body(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
    }
  }
}
