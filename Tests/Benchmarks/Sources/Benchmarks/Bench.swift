import Foundation

/// A directory with a cairn dataset and a git-lfs repository beside it, and the same images for both.
struct Bench {
  let place: URL
  private let environment: [String: String]

  init(photos: Int) throws {
    place = FileManager.default.temporaryDirectory.appending(
      path: "cairn-bench-\(ProcessInfo.processInfo.processIdentifier)")
    var environment = ProcessInfo.processInfo.environment
    environment["HOME"] = place.path
    environment["GIT_CONFIG_NOSYSTEM"] = "1"
    self.environment = environment
    let images = place.appending(path: "images")
    try FileManager.default.createDirectory(at: images, withIntermediateDirectories: true)
    for seed in 0..<photos { try png(seed: seed).write(to: images.appending(path: "\(seed).png")) }
    try shell("git config --global user.name Bench && git config --global user.email b@example.org")
    try shell("git config --global init.defaultBranch main && git lfs install --skip-repo")
    try cairn("init", "cairn", at: ".")
    try shell(
      "git init -q git && cd git && git lfs track '*.png' && git add . && git commit -qm start")
  }

  func remove() { try? FileManager.default.removeItem(at: place) }

  @discardableResult
  func cairn(_ arguments: String..., at directory: String) throws -> String {
    let binary = ProcessInfo.processInfo.environment["CAIRN"] ?? "cairn"
    return try run(["/usr/bin/env", binary] + arguments, at: directory)
  }

  @discardableResult
  func shell(_ command: String, at directory: String = ".") throws -> String {
    try run(["/bin/sh", "-c", command], at: directory)
  }

  private func run(_ words: [String], at directory: String) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: words[0])
    process.arguments = Array(words.dropFirst())
    process.currentDirectoryURL = place.appending(path: directory)
    process.environment = environment
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw BenchError.failed(words.joined(separator: " "), process.terminationStatus)
    }
    return text
  }

  enum BenchError: Error { case failed(String, Int32) }

  /// Returns the seconds that `body` takes, a run each.
  func time(runs: Int = 15, _ body: (Int) throws -> Void) rethrows -> [Double] {
    try (0..<runs).map { run in
      let clock = ContinuousClock()
      return try clock.measure { try body(run) } / .seconds(1)
    }
  }

  func time(runs: Int, _ body: () throws -> Void) rethrows -> [Double] {
    try time(runs: runs) { _ in try body() }
  }

  func firstPhoto() throws -> String {
    String(try cairn("photo", "list", at: "cairn").prefix(12))
  }

  /// Keeps the table where git does not look.
  func save(_ text: String) throws {
    let results = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../results")
    try FileManager.default.createDirectory(at: results, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: results.appending(path: "latest.txt"))
  }
}

/// Returns a small PNG that differs for each seed: 8 by 8 pixels, stored without compression.
func png(seed: Int) -> Data {
  var state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 &+ 1
  var pixels: [UInt8] = []
  for _ in 0..<8 {
    pixels.append(0)
    for _ in 0..<24 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      pixels.append(UInt8(truncatingIfNeeded: state >> 56))
    }
  }
  func big(_ value: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
  }
  func crc(_ bytes: [UInt8]) -> Int {
    var crc: UInt32 = ~0
    for byte in bytes {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
    }
    return Int(~crc)
  }
  func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
    let body = Array(type.utf8) + data
    return big(data.count) + body + big(crc(body))
  }
  let (low, high) = pixels.reduce((1, 0)) { sums, byte in
    let low = (sums.0 + Int(byte)) % 65521
    return (low, (sums.1 + low) % 65521)
  }
  let size = [UInt8(pixels.count & 255), UInt8(pixels.count >> 8)]
  let stored = [0x78, 0x01, 0x01] + size + size.map { ~$0 } + pixels + big(high << 16 | low)
  return Data(
    [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
      + chunk("IHDR", big(8) + big(8) + [8, 2, 0, 0, 0]) + chunk("IDAT", stored) + chunk("IEND", [])
  )
}
