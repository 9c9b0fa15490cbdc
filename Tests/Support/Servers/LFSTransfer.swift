internal import Foundation
internal import SystemPackage

/// The program `git-lfs-transfer` in the directory `programs` of a sandbox: one that is written from the
/// specification alone, and works with git-lfs.
package enum LFSTransfer {
  /// The file to which the program writes the first line of each request.
  package static let log = "transfer-log"

  /// - Parameter options: Options of `lfs_transfer.py`.
  package static func install(in box: Sandbox, _ options: String = "") throws {
    let program = packageDirectory.appending(path: "Tests/Support/Programs/lfs_transfer.py").path
    try box.write(
      "#!/bin/sh\nexec python3 '\(program)' --log '\(box.path(log))' \(options) \"$@\"\n",
      to: "programs/git-lfs-transfer", isProgram: true)
  }

  /// Returns the number of requests so far that begin with a word.
  package static func count(_ word: String, in box: Sandbox) -> Int {
    ((try? box.text(log)) ?? "").split(separator: "\n").count { $0.hasPrefix(word + " ") }
  }
}
