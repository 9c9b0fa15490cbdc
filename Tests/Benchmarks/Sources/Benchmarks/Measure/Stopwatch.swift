import Foundation

/// Runs programs, one at a time, through `measure`.
struct Stopwatch {
  /// The file that `measure` writes to.
  let report: URL
  let measure: URL
  private let standardOutput: URL
  private let standardError: URL
  private let environment: [String: String]

  /// - Parameters:
  ///   - place: A directory for the output of programs, which is also their home directory.
  ///   - programs: Directories to search for programs before those of PATH.
  init(place: URL, programs: [URL]) throws {
    measure = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appending(path: "measure")
    report = place.appending(path: "measured")
    standardOutput = place.appending(path: "stdout")
    standardError = place.appending(path: "stderr")
    var environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("GIT_") }
    environment["HOME"] = place.path
    environment["XDG_CONFIG_HOME"] = place.path
    environment["GIT_CONFIG_NOSYSTEM"] = "1"
    environment["LC_ALL"] = "C.UTF-8"
    environment["DVC_NO_ANALYTICS"] = "1"
    environment["PATH"] =
      (programs.map(\.path) + [environment["PATH"] ?? "/usr/bin:/bin"]).joined(separator: ":")
    self.environment = environment
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
  }

  /// Runs a command and returns its cost.
  func run(_ command: Command) throws -> Sample {
    for file in [report, standardOutput, standardError] {
      _ = FileManager.default.createFile(atPath: file.path, contents: nil)
    }
    let process = Process()
    process.executableURL = measure
    process.arguments = [report.path] + command.words
    process.currentDirectoryURL = command.directory
    process.environment = environment
    process.standardInput =
      try command.input.map(FileHandle.init(forReadingFrom:))
      ?? FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: standardOutput)
    process.standardError = try FileHandle(forWritingTo: standardError)
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw CommandFailure(
        words: command.words, status: process.terminationStatus, message: lastLines())
    }
    let lines = try String(contentsOf: report, encoding: .utf8).split(separator: "\n")
      .map { $0.split(separator: " ").compactMap { Double($0) } }
    guard let whole = lines.last, whole.count == 5 else {
      throw CommandFailure(words: command.words, status: 70, message: "`measure` wrote nothing")
    }
    let parts = lines.dropLast().map { $0[1] + $0[2] }
    return Sample(
      wall: whole[0], cpu: whole[1] + whole[2], peak: Int(whole[3]),
      partCPU: parts.isEmpty ? nil : parts.reduce(0, +))
  }

  /// Runs a command without measuring it; returns its output without surrounding whitespace.
  @discardableResult
  func output(_ command: Command) throws -> String {
    _ = try run(command)
    return try String(contentsOf: standardOutput, encoding: .utf8)
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }

  private func lastLines() -> String {
    let texts = [standardError, standardOutput].compactMap {
      try? String(contentsOf: $0, encoding: .utf8)
    }
    let text = texts.first { !$0.isEmpty } ?? ""
    return text.split(whereSeparator: \.isNewline).suffix(3).joined(separator: " / ")
  }
}
