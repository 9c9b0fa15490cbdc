import CairnProcess
import Foundation
import SystemPackage
import TestSupport
import Testing

enum ApacheGit {
  static let program = "/usr/sbin/apache2"
  static let modules = "/usr/lib/apache2/modules"
  static let programsOfGit = "/usr/lib/git-core"
  static let isInstalled = [program, "\(modules)/mod_cgid.so", "\(programsOfGit)/git-http-backend"]
    .allSatisfy { FileManager.default.fileExists(atPath: $0) }
  static let missing: Comment = "apache2 is missing: `make setup` installs apache2-bin"
}

@Suite("git behind Apache", .enabled(if: ApacheGit.isInstalled, ApacheGit.missing))
struct ApacheGitTests {
  private let box: Sandbox
  private let url: String
  private let server: ChildProcess

  /// Apache with the modules that Debian enables for CGI, and a repository that anyone may change.
  init() throws {
    let box = try Sandbox(user: "Ann")
    try box.git("init", "-q", "--bare", "-b", "main", "served/walk.git")
    try box.git("config", "http.receivepack", "true", in: "served/walk.git")
    // Started as root, it serves as another user.
    try box.succeed("chmod", ["-R", "a+rwX", "served"])
    let modules = ["mpm_event", "authz_core", "alias", "env", "cgid"]
      .map { "LoadModule \($0)_module \(ApacheGit.modules)/mod_\($0).so" }
      .joined(separator: "\n")
    let (port, server) = try startServer("apache2") { port in
      try box.write(
        """
        ServerRoot "\(box.root)"
        ServerName 127.0.0.1
        Listen 127.0.0.1:\(port)
        PidFile "\(box.root)/pid"
        ErrorLog "\(box.root)/log"
        DefaultRuntimeDir "\(box.root)"
        User nobody
        Group nogroup
        \(modules)
        ScriptSock "\(box.root)/socket"
        SetEnv GIT_PROJECT_ROOT "\(box.root)/served"
        SetEnv GIT_HTTP_EXPORT_ALL 1
        SetEnv GIT_CONFIG_COUNT 1
        SetEnv GIT_CONFIG_KEY_0 safe.directory
        SetEnv GIT_CONFIG_VALUE_0 *
        ScriptAlias /git/ \(ApacheGit.programsOfGit)/git-http-backend/
        <Directory "\(ApacheGit.programsOfGit)">
          Require all granted
        </Directory>

        """, to: "apache.conf")
      return try ChildProcess(
        ApacheGit.program, ["-f", "\(box.root)/apache.conf", "-D", "FOREGROUND"])
    }
    (self.box, self.server) = (box, server)
    url = "http://127.0.0.1:\(port)/git/walk.git"
  }

  @Test("exchanges commits, and reports that there is no Git LFS server")
  func exchanges() throws {
    try box.exchangePins(through: url)

    try box.addOnePhoto()
    // Apache cuts the connection of a request whose body git does not read.
    let output = try box.runCairn(["sync"], in: "a")
    #expect(output.status == 69, "\(output.all)")
    #expect(output.stderr.contains("does not accept images"), "\(output.stderr)")
    try box.cairn("push", "--no-images", in: "a")
    let pull = try box.cairn("pull", in: "b").stdout
    #expect(pull.contains("1 image not fetched: the remote does not have them."), "\(pull)")
  }
}
