import Foundation
import SystemPackage
import TestSupport
import Testing

/// A web server on this machine, for as long as this object lives: see `server.py`.
final class TestServer {
  private let server: PythonServer

  /// - Parameter certificate: A file with a certificate and its key, for TLS.
  init(certificate: String? = nil) throws {
    server = try PythonServer("CairnHTTPTests/server.py", [certificate].compactMap { $0 })
  }

  var port: Int { server.port }

  func url(_ path: String, scheme: String = "http") -> String {
    "\(scheme)://127.0.0.1:\(port)/\(path)"
  }
}

/// The bytes that the test server sends for `bytes/COUNT`.
func sampleBytes(_ count: Int) -> [UInt8] {
  (0..<count).map { UInt8($0 % 251 * 31 % 251) }
}

extension TemporaryDirectory {
  /// Makes a certificate for 127.0.0.1 and returns the file with it and its key.
  func certificate() throws -> FilePath {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.currentDirectoryURL = URL(filePath: root.string)
    process.arguments =
      ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
      + ["-nodes", "-days", "2", "-subj", "/CN=test", "-addext", "subjectAltName=IP:127.0.0.1"]
      + ["-keyout", "server.pem", "-out", "certificate.pem"]
    process.standardError = Pipe()
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "openssl is not installed")
    let both = try Data(contentsOf: url("server.pem")) + Data(contentsOf: url("certificate.pem"))
    return try write(both, to: "server.pem")
  }
}
