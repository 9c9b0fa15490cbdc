import Foundation
import TestSupport
import Testing

/// The reference implementations: scikit-learn, statsmodels, krippendorff and crowd-kit, in the
/// environment that `make setup` installs.
enum Oracle {
  static let python: URL? = {
    var directory = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    for start in [directory, packageDirectory] {
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
    let script = packageDirectory.appending(path: "Tests/CairnMetricsTests/oracle.py").path
    var command = Command(try #require(python, missing).path, [script], in: packageDirectory.path)
    command.input = try JSONSerialization.data(withJSONObject: questions)
    let output = try command.run()
    try #require(output.status == 0, "the oracle failed: \(output.stderr)")
    let answers = try JSONSerialization.jsonObject(with: output.bytes) as? [Any]
    return try #require(answers)
  }
}

/// Returns whether two numbers differ by at most `tolerance`; nil equals null.
func isEqual(_ a: Double?, _ b: Any, _ tolerance: Double = 1e-9) -> Bool {
  guard let a else { return b is NSNull }
  guard let b = (b as? NSNumber)?.doubleValue else { return false }
  return abs(a - b) <= tolerance
}
