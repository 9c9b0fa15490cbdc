internal import CairnProcess
internal import Foundation
internal import Testing

/// A proxy on loopback that passes connections on to a local server and injects the faults of a
/// plan, running while this object lives.
///
/// Clients use ``port`` instead of the server's port. With a plan of requests it reads HTTP/1.1
/// without TLS and leaves `Host` unchanged, so that signatures stay valid and the URLs in answers
/// lead through the proxy.
package final class FaultProxy {
  package let port: UInt16
  private let process: ChildProcess

  /// - Parameter server: The port of the server.
  package init(to server: UInt16, _ plan: FaultPlan) throws {
    struct Instructions: Encodable {
      let to: UInt16
      let plan: FaultPlan
    }
    let script = packageDirectory.appending(path: "Tests/Support/Programs/fault_proxy.py").path
    let process = try ChildProcess("python3", [script])
    let line = try JSONEncoder().encode(Instructions(to: server, plan: plan)) + Data("\n".utf8)
    try line.withUnsafeBytes { try process.write($0, timeout: 30) }
    var output: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 64)
    while output.last != UInt8(ascii: "\n") {
      let count = try piece.withUnsafeMutableBytes { try process.read(into: $0, timeout: 30) }
      if count == 0 { break }
      output += piece[..<count]
    }
    self.process = process
    let number = UInt16(String(decoding: output.dropLast(), as: UTF8.self))
    port = try #require(number, "the proxy did not start: is python3 installed?")
  }

  /// Stops the proxy and all connections.
  ///
  /// - Returns: The faults that occurred, in order: “cut up 1000”, “http 503 PUT /x HTTP/1.1”.
  @discardableResult
  package func stop() -> [String] {
    process.end()
    return process.stderrText.lines
  }
}
