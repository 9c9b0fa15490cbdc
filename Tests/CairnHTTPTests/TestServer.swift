import Foundation
import SystemPackage
import Testing

/// A web server on this machine, for as long as this object lives.
final class TestServer {
  let port: Int
  private let process = Process()
  private let input = Pipe()

  /// - Parameter certificate: A file with a certificate and its key, for TLS.
  init(certificate: String? = nil) throws {
    let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "server.py")
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3", script.path] + [certificate].compactMap { $0 }
    process.standardInput = input
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    var line = Data()
    while let byte = try output.fileHandleForReading.read(upToCount: 1), byte.first != 0x0A {
      if byte.isEmpty { break }
      line += byte
    }
    port = try #require(Int(String(decoding: line, as: UTF8.self)), "the test server did not start")
  }

  deinit {
    try? input.fileHandleForWriting.close()
    // Another child process may have inherited its input and keep it open.
    process.terminate()
    process.waitUntilExit()
  }

  func url(_ path: String, scheme: String = "http") -> String {
    "\(scheme)://127.0.0.1:\(port)/\(path)"
  }
}

/// The bytes that the test server sends for `bytes/COUNT`.
func sampleBytes(_ count: Int) -> [UInt8] {
  (0..<count).map { UInt8($0 % 251 * 31 % 251) }
}

/// A temporary directory, removed with the object.
final class Scratch {
  let path = FilePath(FileManager.default.temporaryDirectory.path)
    .appending("cairn-http-\(UInt64.random(in: 0 ... .max))")

  init() throws {
    try FileManager.default.createDirectory(atPath: path.string, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path.string) }

  func write(_ bytes: [UInt8], to name: String) throws -> FilePath {
    let file = path.appending(name)
    try Data(bytes).write(to: URL(filePath: file.string))
    return file
  }

  /// Makes a certificate for 127.0.0.1 and returns the file with it and its key.
  func certificate() throws -> FilePath {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.currentDirectoryURL = URL(filePath: path.string)
    process.arguments =
      ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
      + ["-nodes", "-days", "2", "-subj", "/CN=test", "-addext", "subjectAltName=IP:127.0.0.1"]
      + ["-keyout", "server.pem", "-out", "certificate.pem"]
    process.standardError = Pipe()
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "openssl is not installed")
    let both =
      FileManager.default.contents(atPath: path.appending("server.pem").string) ?? Data()
    let certificate = FileManager.default.contents(atPath: path.appending("certificate.pem").string)
    try (both + (certificate ?? Data())).write(
      to: URL(filePath: path.appending("server.pem").string))
    return path.appending("server.pem")
  }
}
