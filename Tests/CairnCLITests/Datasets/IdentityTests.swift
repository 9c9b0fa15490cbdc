import Foundation
import TestSupport
import Testing

@Suite("The identity")
struct IdentityTests {
  /// A dataset A with an uncommitted photo, and no identity any more.
  private func start() throws -> (box: Sandbox, photo: String) {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    try box.cairn("label", photo, "oak", "--as", "net@1", in: "a")
    try box.cairn("remote", "add", "origin", "../x.git", "--create", in: "a")
    try box.git("config", "--global", "--remove-section", "user")
    return (box, photo)
  }

  /// Commands that record the person.
  static let commands = [
    "label PHOTO elm --create", "accept PHOTO oak", "reject PHOTO oak", "favorite PHOTO", "commit",
    "sync", "run start net@2", "init ../b",
  ]

  /// Starts a command in a terminal and, when it asks for a name, runs the rest of a Python script.
  private func asked(
    _ command: String, _ photo: String, _ box: Sandbox, _ rest: String
  ) throws -> JSONValue {
    let line = "exec cairn " + command.replacing("PHOTO", with: photo)
    return try box.keyboard(
      #"""
      session = shell(r"""\#(line)""")
      session.expect("Your name: ")

      """# + rest)
  }

  @Test(
    "is asked for on a terminal by every command that needs it, and saved",
    .enabled(if: Keyboard.isThere, Keyboard.missing), arguments: commands)
  func question(command: String) throws {
    let (box, photo) = try start()
    let result = try asked(
      command, photo, box,
      #"""
      session.sendline("Eve Lee")
      session.expect("Your email: ")
      session.sendline("no address")
      session.expect("Your email: ")
      session.sendline("eve@example.org")
      session.expect("cairn: saved in git's configuration")
      report({"status": ended(session), "rest": session.before})
      """#)
    #expect(result["status"].number == 0, "\(result)")
    #expect(!result["rest"].string.contains("Your name"), "asked twice")
    #expect(try box.git("config", "--global", "user.name").stdout == "Eve Lee\n")
    #expect(try box.git("config", "--global", "user.email").stdout == "eve@example.org\n")
  }

  @Test(
    "is the known name if only the email is missing; without an answer, the command fails",
    .enabled(if: Keyboard.isThere, Keyboard.missing))
  func known() throws {
    let (box, photo) = try start()
    try box.git("config", "--global", "user.name", "Eve")
    let result = try box.keyboard(
      """
      session = shell("exec cairn label \(photo) elm --create")
      session.expect(r"Your name \\[Eve\\]: ")
      session.sendline("")
      session.expect("Your email: ")
      session.sendeof()
      session.expect("do not both|not both set")
      report({"status": ended(session)})
      """)
    #expect(result["status"].number == Double(ExitStatus.noDatasetOrIdentity))
    #expect(try box.labels(of: photo, in: "a") == ["model:net@1: oak present"])
  }

  @Test(
    "is asked for before the dataset is locked",
    .enabled(if: Keyboard.isThere, Keyboard.missing), arguments: commands.dropLast())
  func unlocked(command: String) throws {
    let (box, photo) = try start()
    let result = try asked(
      command, photo, box,
      #"""
      import subprocess
      other = subprocess.run(
          ["cairn", "label", "\#(photo)", "oak", "--as", "net@2"], capture_output=True, text=True)
      session.sendline("Eve Lee")
      session.expect("Your email: ")
      session.sendline("eve@example.org")
      report({"status": ended(session), "other": other.returncode, "messages": other.stderr})
      """#)
    #expect(result["status"].number == 0 && result["other"].number == 0, "\(result)")
    #expect(result["messages"].string == "")
  }

  @Test(
    "is not asked for by commands that only read",
    .enabled(if: Keyboard.isThere, Keyboard.missing), arguments: ["review --count", "status"])
  func reading(command: String) throws {
    let (box, _) = try start()
    let result = try box.keyboard(
      """
      session = shell("exec cairn \(command)")
      report({"status": ended(session), "text": session.before})
      """)
    #expect(result["status"].number == 0, "\(result)")
    #expect(!result["text"].string.contains("Your name"), "\(result)")
  }

  @Test("is not needed by clone, pull and push, as with git")
  func transfers() throws {
    let (box, photo) = try start()
    let known = ["GIT_AUTHOR_NAME": "Ann", "GIT_AUTHOR_EMAIL": "ann@example.org"]
      .merging(["GIT_COMMITTER_NAME": "Ann", "GIT_COMMITTER_EMAIL": "ann@example.org"]) { $1 }
    try box.succeed("cairn", ["commit"], in: "a", environment: known)
    try box.cairn("push", in: "a")
    try box.cairn("clone", "x.git", "b")
    let entry = try box.git("log", "-g", "-1", "--format=%gn <%ge>", in: "b").stdout
    let login = try box.sh("id -un").stdout.trimmingCharacters(in: .newlines)
    #expect(entry.hasPrefix("\(login) <\(login)@"))
    try box.succeed("cairn", ["label", photo, "elm", "--create"], in: "a", environment: known)
    try box.succeed("cairn", ["sync"], in: "a", environment: known)
    try box.cairn("pull", in: "b")
    #expect(try box.labels(of: photo, in: "b").contains("ann: elm present"))
    try box.refuses("label", photo, "oak", in: "b", with: ExitStatus.noDatasetOrIdentity)
  }

  @Test("stays an error with --json and in scripts, with commands that set it")
  func scripts() throws {
    let (box, photo) = try start()
    let message = try box.refuses(
      "label", photo, "elm", in: "a", with: ExitStatus.noDatasetOrIdentity)
    let hint = try #require(message.split(separator: "\n").last)
    let commands = hint.split(separator: "`").enumerated().filter { $0.offset % 2 == 1 }
      .map { String($0.element) }
    #expect(commands.count == 2)
    for command in commands { try box.sh(command, in: "a") }
    try box.cairn("label", photo, "elm", in: "a")
    #expect(try box.labels(of: photo, in: "a").contains("you: elm present"))
  }

  @Test("is that of `cairn init --user-name --email`, for the new dataset alone")
  func ofDataset() throws {
    let box = try Sandbox()
    try box.cairn("init", "a", "--user-name", "Eve Lee", "--email", "Eve@example.org")
    let author = try box.git("log", "-1", "--format=%an <%ae> %cn <%ce>", in: "a").stdout
    #expect(author == "Eve Lee <Eve@example.org> Eve Lee <Eve@example.org>\n")
    let photo = try box.addPhotos(0..<1, to: "a")[0]
    try box.cairn("label", photo, "oak", in: "a")
    #expect(try box.labels(of: photo, in: "a") == ["eve: oak present"])
    #expect(try box.git("config", "--global", "user.name").stdout == "Ann\n")

    let bare = try Sandbox(hasIdentity: false)
    let half = try bare.refuses(
      "init", "a", "--email", "eve@example.org", with: ExitStatus.noDatasetOrIdentity)
    #expect(half.contains("--user-name"))
    let wrong = try bare.run("cairn", ["init", "a", "--user-name", "Eve", "--email", "eve"])
    #expect(wrong.status == ExitStatus.usage && !bare.exists("a"))
  }

  /// Where git also takes the address from: a script that sets it, and variables.
  static let sources: [(script: String, variables: [String: String])] = [
    ("git config author.email author@example.org", [:]),
    ("git config committer.email committer@example.org", [:]),
    (
      "true",
      [
        "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "user.email",
        "GIT_CONFIG_VALUE_0": "variable@example.org",
      ]
    ),
    (
      "git config extensions.worktreeConfig true; git config --worktree user.email w@example.org",
      [:]
    ),
    (
      """
      git config --file ~/work user.email work@example.org
      git config --global includeIf.hasconfig:remote.*.url:https://work.example/**.path ~/work
      git remote add work https://work.example/a.git
      """, [:]
    ),
  ]

  @Test("is the one with which git commits in a linked work tree, if only git knows the rest")
  func linkedWorkTree() throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    try box.cairn("commit", in: "a")
    try box.sh(
      """
      git config --file ~/work user.name Worker
      git config --global includeIf.hasconfig:remote.*.url:https://work.example/**.path ~/work
      git remote add work https://work.example/a.git
      git config extensions.worktreeConfig true
      git worktree add -q -b side ../tree
      git -C ../tree config --worktree user.email tree@example.org
      """, in: "a")
    let author = try box.git("var", "GIT_AUTHOR_IDENT", in: "tree").stdout
    #expect(author.hasPrefix("Worker <tree@example.org>"))
    try box.cairn("label", photo, "oak", "--create", in: "tree")
    try box.cairn("commit", in: "tree")
    #expect(try box.labels(of: photo, in: "tree") == ["tree: oak present"])
    let format = "--format=%an <%ae> %cn <%ce>"
    #expect(
      try box.git("log", "-1", format, in: "tree").stdout
        == "Worker <tree@example.org> Worker <tree@example.org>\n")
  }

  @Test("is the one with which git commits", arguments: sources)
  func asGit(script: String, variables: [String: String]) throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    try box.sh(script, in: "a")
    func succeed(_ program: String, _ arguments: String...) throws -> String {
      try box.succeed(program, arguments, in: "a", environment: variables).stdout
    }
    func address(_ text: String) -> Substring? {
      text.split { "<>".contains($0) }.dropFirst().first
    }
    let author = try #require(address(try succeed("git", "var", "GIT_AUTHOR_IDENT")))
    let committer = try #require(address(try succeed("git", "var", "GIT_COMMITTER_IDENT")))
    #expect(author != "ann@example.org" || committer != "ann@example.org")
    _ = try succeed("cairn", "label", photo, "oak", "--create")
    _ = try succeed("cairn", "commit")
    #expect(
      try box.labels(of: photo, in: "a") == [
        "\(author.replacing("@example.org", with: "")): oak present"
      ])
    #expect(try succeed("git", "log", "-1", "--format=%ae %ce") == "\(author) \(committer)\n")
  }
}
