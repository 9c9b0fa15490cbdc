// Servers that do not answer, or do not stop.

import CairnGit
import CairnProcess
import CairnTransport
import Foundation
import TestSupport
import Testing

extension RefusalTests {
  /// Returns the address of a repository on a server that prints its port.
  private func address(of server: ChildProcess) throws -> RemoteAddress {
    let output = String(decoding: try server.output(limit: 2, timeout: 60), as: UTF8.self)
    return try RemoteAddress("http://127.0.0.1:\(output.prefix { $0 != "\n" })/x.git")
  }

  @Test("gives up on a server that accepts a connection and never answers before a push")
  func silentServer() throws {
    let box = try Sandbox(user: "Ann")
    let script = """
      import socket, sys
      with socket.create_server(("127.0.0.1", 0)) as server:
          print(server.getsockname()[1], flush=True)
          connection = server.accept()
          sys.stdin.read()
      """
    let server = try ChildProcess("python3", ["-c", script])
    var context = TransportContext(try box.settings(), git: nil)
    context.timeout.between = 1
    let remote = try SmartRemote(
      address(of: server), named: nil, context)
    let error = #expect(throws: TransportError.self) { try remote.references(for: .pushing) }
    #expect(error?.kind == .connectionLost && error?.reason.contains("in time") == true)
  }

  @Test("does not wait for the end of what a web server sends after git's last packet")
  func endlessTail() throws {
    let box = try Sandbox(user: "Ann")
    let id = String(repeating: "a", count: 40)
    let script = """
      import socket, sys
      def packet(text): return b"%04x" % (len(text) + 4) + text
      with socket.create_server(("127.0.0.1", 0)) as server:
          print(server.getsockname()[1], flush=True)
          connection = server.accept()[0]
          connection.recv(65536)
          connection.sendall(
              b"HTTP/1.1 200 OK\\r\\n"
              b"Content-Type: application/x-git-upload-pack-advertisement\\r\\n\\r\\n"
              + packet(b"# service=git-upload-pack\\n") + b"0000"
              + packet(b"\(id) refs/heads/main\\0side-band-64k\\n") + b"0000")
          try:
              while True: connection.sendall(b"x" * 65536)
          except OSError: pass
      """
    let server = try ChildProcess("python3", ["-c", script])
    let remote = try SmartRemote(
      address(of: server), named: nil,
      TransportContext(try box.settings(), git: nil))
    #expect(try remote.references(for: .fetching)["refs/heads/main"]?.description == id)
  }
}
