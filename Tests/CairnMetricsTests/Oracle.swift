import Foundation
import Testing

/// The reference implementations: scikit-learn, statsmodels, krippendorff and crowd-kit, in the
/// environment that `make setup` installs.
enum Oracle {
  static let python: URL? = {
    var directory = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    let package = URL(filePath: #filePath).deletingLastPathComponent()
    for start in [directory, package] {
      directory = start
      while directory.path.count > 1 {
        for name in ["python", ".build/python"] {
          let file = directory.appending(path: name).appending(path: "bin/python3")
          if FileManager.default.isExecutableFile(atPath: file.path) { return file }
        }
        directory.deleteLastPathComponent()
      }
    }
    return nil
  }()

  static let isInstalled = python != nil
  static let missing: Comment = "there is no .build/python: run `make setup`"

  /// Returns the reference results for questions, each an object with a `kind`.
  static func answers(_ questions: [[String: Any]]) throws -> [Any] {
    let process = Process()
    process.executableURL = try #require(python, missing)
    let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "oracle.py")
    process.arguments = [script.path]
    // Through files, so that neither process blocks the other.
    let scratch = FileManager.default.temporaryDirectory
      .appending(path: "cairn-oracle-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: scratch) }
    let (question, answer) = (scratch.appending(path: "in"), scratch.appending(path: "out"))
    try JSONSerialization.data(withJSONObject: questions).write(to: question)
    try Data().write(to: answer)
    let (input, output) = (
      try FileHandle(forReadingFrom: question), try FileHandle(forWritingTo: answer)
    )
    defer { for handle in [input, output] { try? handle.close() } }
    (process.standardInput, process.standardOutput) = (input, output)
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "the oracle failed")
    let answers = try JSONSerialization.jsonObject(with: Data(contentsOf: answer)) as? [Any]
    return try #require(answers)
  }
}

/// Returns whether two numbers differ by at most `tolerance`; nil equals null.
func isEqual(_ a: Double?, _ b: Any, _ tolerance: Double = 1e-9) -> Bool {
  guard let a else { return b is NSNull }
  guard let b = (b as? NSNumber)?.doubleValue else { return false }
  return abs(a - b) <= tolerance
}
