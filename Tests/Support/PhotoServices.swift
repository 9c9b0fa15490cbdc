package import Foundation
internal import Testing

/// Local stand-ins for the services that photos are fetched from: see `photo_services.py`.
package final class PhotoServices {
  package let port: Int
  private let directory: URL
  private let process = Process()
  private let input = Pipe()

  /// A request that was received.
  package struct Request: Decodable {
    package let path: String
    package let query: [String: String]
    /// Names in lower case.
    package let headers: [String: String]
    /// The number of requests in flight, including this one.
    package let running: Int
  }

  /// - Parameter plan: The number of photos and the faults, as JSON.
  package init(_ plan: String = "{}") throws {
    directory = FileManager.default.temporaryDirectory
      .appending(path: "cairn-services-\(UInt64.random(in: 0 ... .max))")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "CairnSourcesTests/Programs/photo_services.py")
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3", script.path, directory.path, plan]
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
    stop()
    try? FileManager.default.removeItem(at: directory)
  }

  /// Stops the services, which is like a network failure.
  package func stop() {
    guard process.isRunning else { return }
    try? input.fileHandleForWriting.close()
    // Another child may have inherited the pipe and keep it open.
    process.terminate()
    process.waitUntilExit()
  }

  package var base: String { "http://127.0.0.1:\(port)" }

  /// Returns the base URL of a service.
  package func url(_ service: String) -> String {
    switch service {
    case "commons": "\(base)/commons/w/api.php"
    case "inaturalist", "openverse": "\(base)/\(service)/v1/"
    case "dog.ceo": "\(base)/dogceo/api/"
    default: "\(base)/\(service)/"
    }
  }

  /// Returns the requests to paths with this prefix, in order.
  package func requests(_ path: String = "/") -> [Request] {
    let text = (try? String(contentsOf: directory.appending(path: "log"), encoding: .utf8)) ?? ""
    return text.split(separator: "\n")
      .compactMap { try? JSONDecoder().decode(Request.self, from: Data($0.utf8)) }
      .filter { $0.path.hasPrefix(path) }
  }
}
