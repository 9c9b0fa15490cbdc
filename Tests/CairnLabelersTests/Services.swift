import CairnDocument
import CairnLabelers
import Crypto
import Foundation
import SystemPackage
import TestSupport
import Testing

/// The labeling services of `Programs/services.py`, running locally while this object lives.
final class Services {
  let port: Int
  let log: URL
  private let process = Process()
  private let input = Pipe()

  static let key = "s3cr3t-k3y-of-the-test"

  init() throws {
    let script = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "Programs/services.py")
    log = FileManager.default.temporaryDirectory.appending(
      path: "cairn-labelers-\(UInt64.random(in: 0 ... .max)).log")
    try Data().write(to: log)
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3", script.path, log.path, Services.key]
    process.standardInput = input
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    var line = Data()
    while let byte = try output.fileHandleForReading.read(upToCount: 1), byte.first != 0x0A {
      if byte.isEmpty { break }
      line += byte
    }
    port = try #require(Int(String(decoding: line, as: UTF8.self)), "the services did not start")
  }

  deinit {
    try? input.fileHandleForWriting.close()
    process.terminate()
    process.waitUntilExit()
    try? FileManager.default.removeItem(at: log)
  }

  /// Returns the address of a service with a behavior of `services.py`, such as `busy`.
  func url(_ service: String, _ behavior: String) -> String {
    "http://127.0.0.1:\(port)/\(service)/\(behavior)"
  }

  struct Request: Decodable {
    let method: String?
    let service: String?
    let behavior: String?
    let times: Int?
    let atOnce: Int?
    let bytes: Int?
    /// An assertion that failed in the server.
    let fault: String?

    enum CodingKeys: String, CodingKey {
      case method, service, behavior, times, bytes, fault
      case atOnce = "at once"
    }
  }

  /// Returns the requests so far.
  func requests() throws -> [Request] {
    try String(contentsOf: log, encoding: .utf8).split(separator: "\n").map {
      try JSONDecoder().decode(Request.self, from: Data($0.utf8))
    }
  }

  func text() throws -> String { try String(contentsOf: log, encoding: .utf8) }
}

/// A directory that is removed at the end.
final class Scratch {
  let path: FilePath

  init() throws {
    path = FilePath(FileManager.default.temporaryDirectory.path)
      .appending("cairn-labelers-\(UInt64.random(in: 0 ... .max))")
    try FileManager.default.createDirectory(atPath: path.string, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path.string) }

  @discardableResult
  func write(_ text: String, to name: String) throws -> FilePath {
    let file = path.appending(name)
    try Data(text.utf8).write(to: URL(filePath: file.string))
    return file
  }

  /// Creates an image of one pixel, different for each seed.
  func image(_ seed: Int, address: String? = nil) throws -> LabelerImage {
    let file = path.appending("image-\(seed).png")
    try Data(PNG.bytes(UInt8(seed))).write(to: URL(filePath: file.string))
    return LabelerImage(
      name: "image-\(seed)", path: file, format: .png, width: 1, height: 1, address: address)
  }
}

extension LabelerEnvironment {
  /// This machine, without pauses and with the secrets of the services.
  static let quick: LabelerEnvironment = {
    var environment = LabelerEnvironment.machine
    environment.pause = { _ in }
    environment.variable = { name in
      switch name {
      case "IMAGGA_SECRET": "other"
      case _ where ["KEY", "TOKEN", "PAT"].contains(where: name.hasSuffix): Services.key
      default: nil
      }
    }
    return environment
  }()
}

/// Returns the error that a labeler throws, or nil.
func complaint(_ body: () throws -> Void) -> LabelerError? {
  do {
    try body()
    return nil
  } catch {
    return error as? LabelerError
  }
}

let noPixels: PixelReader = { _ in throw LabelerError("no pixels are needed") }

/// The SHA-256 of bytes.
func sha256(_ bytes: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: bytes)) }
