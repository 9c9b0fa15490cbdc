import Foundation
import SystemPackage
import TestSupport
import Testing

extension Sandbox {
  /// Creates a sandbox with cairn, whose git configuration lets new names create classes without a
  /// question.
  ///
  /// - Parameter lfs: Whether git-lfs is installed, and `git lfs install` was run.
  /// - Parameter hasIdentity: Whether git's configuration has an identity: Ann, ann@example.org.
  convenience init(lfs: Bool = true, hasIdentity: Bool = true) throws {
    try self.init { root in
      let programs = root.appending("home").appending("bin").string
      return [
        "EDITOR": "false", "TERM": "xterm", "TZ": "UTC",
        "PATH": lfs ? "\(programs):\(Programs.searchPath)" : programs,
      ]
    }
    let programs = url("home/bin")
    try FileManager.default.createDirectory(at: programs, withIntermediateDirectories: true)
    let cairn = try #require(Programs.cairn, "there is no cairn to test: build it first")
    try FileManager.default.createSymbolicLink(
      at: programs.appending(path: "cairn"), withDestinationURL: cairn)
    if !lfs { try Programs.linkAllButLFS(in: programs) }
    var configuration = """
      [init]
      \tdefaultBranch = main
      [protocol "file"]
      \tallow = always
      [cairn]
      \tcreateClasses = true

      """
    if lfs {
      configuration += """
        [filter "lfs"]
        \tclean = git-lfs clean -- %f
        \tsmudge = git-lfs smudge -- %f
        \tprocess = git-lfs filter-process
        \trequired = true

        """
    }
    if hasIdentity { configuration += "[user]\n\tname = Ann\n\temail = ann@example.org\n" }
    try write(configuration, to: "home/.gitconfig")
  }
}
