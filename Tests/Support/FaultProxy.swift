internal import CairnTransport
internal import Foundation
internal import Testing

/// A proxy on loopback that passes connections on to a server of this machine and breaks them by a plan,
/// for as long as this object lives.
///
/// A client is given ``port`` in the place of the server's. With a plan of requests it reads HTTP/1.1
/// without TLS, and leaves `Host` as it is, so that what is signed stays right, and what a server says of
/// itself leads through the proxy again.
package final class FaultProxy {
  package let port: UInt16
  private let process: ChildProcess

  /// - Parameter server: The port of the server.
  package init(to server: UInt16, _ plan: FaultPlan) throws {
    struct Instructions: Encodable {
      let to: UInt16
      let plan: FaultPlan
    }
    let script = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "fault_proxy.py").path
    let process = try ChildProcess("python3", [script])
    let line = try JSONEncoder().encode(Instructions(to: server, plan: plan)) + Data("\n".utf8)
    try line.withUnsafeBytes { try process.write($0, timeout: 30) }
    var said: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 64)
    while said.last != UInt8(ascii: "\n") {
      let count = try piece.withUnsafeMutableBytes { try process.read(into: $0, timeout: 30) }
      if count == 0 { break }
      said += piece[..<count]
    }
    self.process = process
    let number = UInt16(String(decoding: said.dropLast(), as: UTF8.self))
    port = try #require(number, "the proxy did not start; python3 is what it needs")
  }

  /// Ends it and all connections.
  ///
  /// - Returns: The faults that came about, in order: “cut up 1000”, “http 503 PUT /x HTTP/1.1”.
  @discardableResult
  package func stop() -> [String] {
    process.end()
    return process.stderrText.lines
  }
}
