import Foundation
import TestSupport
import Testing

@Suite("cairn doctor")
struct DoctorTests {
  /// A way to damage a copy, which `cairn doctor` reports with a command that repairs it.
  struct Damage: CustomTestStringConvertible, Sendable {
    let check: String
    let level: String
    /// Lines of a shell, run in the dataset.
    let script: String
    var testDescription: String { check }

    init(_ check: String, _ level: String, _ script: String) {
      (self.check, self.level, self.script) = (check, level, script)
    }
  }

  static let damages = [
    Damage("identity", "problem", "git config --global --remove-section user"),
    Damage("configuration", "warning", "git config --unset merge.cairn.driver"),
    Damage(
      "configuration", "warning",
      """
      git config filter.lfs.clean '/nowhere/cairn lfs clean -- %f'
      git config filter.lfs.process '/nowhere/cairn lfs filter-process'
      """),
    Damage("attributes", "problem", "echo > .gitattributes; git commit -qam 'Remove lines'"),
    Damage("attributes", "problem", "echo > .gitattributes"),
    Damage("locks", "problem", "touch -d '3 hours ago' .git/index.lock"),
    Damage("locks", "problem", "touch -d '3 days ago' .git/refs/heads/main.lock"),
    Damage("branch", "problem", "git checkout -q --detach"),
    Damage("branch", "problem", "git bisect start >&2; git checkout -q --detach"),
    Damage("images", "warning", "chmod -R u+w .git/lfs; rm -r .git/lfs/objects"),
    Damage("index", "warning", "echo nonsense > .git/cairn/index.sqlite"),
    Damage("remote", "warning", "cairn remote add disk ../disk.git --create"),
  ]

  /// Makes a dataset A with two photos, and a remote that has everything.
  private func start() throws -> Sandbox {
    let box = try Sandbox()
    _ = try box.startDataset(photos: 2)
    try box.cairn("remote", "add", "origin", "../x.git", "--create", in: "a")
    try box.cairn("sync", in: "a")
    return box
  }

  private func findings(
    _ box: Sandbox, status: Int32, in directory: String = "a", options: [String] = [],
    location: SourceLocation = #_sourceLocation
  ) throws -> [JSONValue] {
    let output = try box.run("cairn", ["doctor", "--json"] + options, in: directory)
    #expect(output.status == status, "\(output.all)", sourceLocation: location)
    let json = try output.json()
    #expect(json["healthy"] == .bool(status == 0), sourceLocation: location)
    return json["findings"].elements
  }

  @Test("finds nothing wrong with a new copy, and changes nothing")
  func healthy() throws {
    let box = try start()
    let before = try box.listing()
    let found = try findings(box, status: 0)
    #expect(found.allSatisfy { $0["level"].string == "ok" }, "\(found)")
    #expect(
      found.map { $0["check"].string } == [
        "program", "identity", "git", "git-lfs", "dataset", "branch", "configuration", "attributes",
        "locks", "clone", "index", "images", "disk", "remote",
      ])
    #expect(try box.listing().differences(from: before).isEmpty)
    let page = try box.cairn("doctor", in: "a").stdout
    #expect(page.contains("Ann <ann@example.org>") && page.contains("Everything is in order."))
    #expect(try box.cairn("doctor", "--quiet", in: "a").stdout == "")
  }

  @Test("reports damage with a command that repairs it", arguments: damages)
  func repairs(damage: Damage) throws {
    let box = try start()
    try box.cairn("find", "--count", in: "a")
    try box.sh(damage.script, in: "a")
    let status: Int32 = damage.level == "problem" ? 1 : 0
    let found = try findings(box, status: status).filter { $0["level"].string != "ok" }
    #expect(found.map { $0["check"].string } == [damage.check])
    let finding = try #require(found.first)
    #expect(finding["level"].string == damage.level)
    try box.sh(finding["fix"].string, in: "a")
    let after = try findings(box, status: 0).filter { $0["level"].string != "ok" }
    #expect(after.isEmpty, "\(after)")
  }

  @Test("names a shallow clone and the command that completes it")
  func shallow() throws {
    let box = try start()
    try box.git("clone", "-q", "--depth", "1", "file://\(box.url("x.git").path)", "b")
    let found = try findings(box, status: 0, in: "b")
    let finding = try #require(found.first { $0["check"].string == "clone" })
    #expect(finding["level"].string == "warning")
    // doctor itself fetched nothing.
    #expect(box.exists("b/.git/shallow"))
    try box.sh(finding["fix"].string, in: "b")
    #expect(!box.exists("b/.git/shallow"))
  }

  @Test("contacts remotes unless --offline is given, and reports why one cannot be used")
  func remotes() throws {
    let box = try start()
    try box.cairn("remote", "add", "usb", "/nowhere/usb.git", in: "a")
    let found = try findings(box, status: 1).filter { $0["check"].string == "remote" }
    #expect(found.map { $0["level"].string } == ["ok", "problem"])
    #expect(found[1]["message"].string.hasPrefix("usb: "))
    #expect(found[1]["message"].string.contains("/nowhere/usb.git"))
    _ = try findings(box, status: 0, options: ["--offline"])
  }

  @Test(
    "reports a disk with little space, and suggests images to drop",
    .enabled(if: Programs.canMount, "file systems cannot be mounted here"),
    arguments: [("50m", "problem"), ("500m", "warning")])
  func disk(size: String, level: String) throws {
    let box = try start()
    try box.sh("mkdir disk; mount -t tmpfs -o size=\(size) none disk")
    defer { _ = try? box.sh("umount -l disk") }
    try box.cairn("clone", "x.git", "disk/b")
    let found = try findings(box, status: level == "problem" ? 1 : 0, in: "disk/b")
    let finding = try #require(found.first { $0["check"].string == "disk" })
    #expect(finding["level"].string == level)
    #expect(finding["message"].string.hasPrefix("only "))
    #expect(finding["fix"].string == "cairn images drop --all --dry-run")
    try box.sh(finding["fix"].string, in: "disk/b")
  }

  @Test("writes fixes for the directory that the command line names")
  func elsewhere() throws {
    let box = try start()
    try box.sh("git checkout -q --detach", in: "a")
    for arguments in [["doctor", "-C", "a"], ["-C", "a", "doctor"]] {
      let output = try box.run("cairn", arguments + ["--json", "--offline"])
      #expect(output.status == 1)
      let fix = try output.json()["findings"].elements.first {
        $0["level"].string == "problem"
      }
      #expect(fix?["fix"].string == "git -C a switch main")
    }
  }

  @Test("checks the computer where there is no dataset")
  func noDataset() throws {
    let box = try Sandbox(hasIdentity: false)
    let found = try findings(box, status: 1, in: ".")
    #expect(found.first { $0["check"].string == "identity" }?["level"].string == "problem")
    #expect(found.last?["check"].string == "dataset")
    #expect(found.last?["level"].string == "warning")
  }
}
