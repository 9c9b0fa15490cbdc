import CairnDocument
import CairnLabelers
import Crypto
import Foundation
import SystemPackage
import TestSupport
import Testing

/// The labeling services of `Programs/services.py`, running locally while this object lives.
final class Services {
  private let server: PythonServer
  private let directory = TemporaryDirectory()

  static let key = "s3cr3t-k3y-of-the-test"

  init() throws {
    try directory.write([UInt8](), to: "log")
    server = try PythonServer(
      "CairnLabelersTests/Programs/services.py", [directory.path("log").string, Services.key])
  }

  var port: Int { server.port }

  /// The file of requests, each a line of JSON.
  var log: URL { directory.url("log") }

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

extension TemporaryDirectory {
  /// Creates an image of one pixel, different for each seed.
  func image(_ seed: Int, address: String? = nil) throws -> LabelerImage {
    LabelerImage(
      name: "image-\(seed)", path: try write(PNG.bytes(UInt8(seed)), to: "image-\(seed).png"),
      format: .png, width: 1, height: 1, address: address)
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
