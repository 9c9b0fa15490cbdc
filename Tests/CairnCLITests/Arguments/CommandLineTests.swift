import Foundation
import TestSupport
import Testing

@Suite("Command line")
struct CommandLineTests {
  static let commands = [
    "init", "clone", "pin", "photo", "label", "unlabel", "accept", "reject", "class", "labeler",
    "predict", "run", "policy", "show", "why", "source",
    "status", "commit", "log", "diff", "remote", "pull", "push", "sync", "verify", "gc",
    "agreement", "evaluate", "report", "config", "doctor",
  ]

  @Test("lists every command in help and prints the help of each")
  func help() throws {
    let box = try Sandbox()
    let help = try box.cairn("help").stdout
    for command in Self.commands {
      #expect(help.contains("\n  \(command) "), "\(command)")
      let own = try box.cairn("help", command)
      #expect(own.stdout.contains("USAGE: cairn \(command)"))
      #expect(try box.cairn(command, "--help").stdout == own.stdout)
    }
    #expect(try box.cairn().stdout.contains("\n  label "))
    #expect(
      try box.cairn("-C", ".", "--json", "label", "--help").stdout
        == box.cairn("help", "label").stdout)
    #expect(
      try box.cairn("label", "--generate-completion-script", "bash").stdout
        == box.cairn("--generate-completion-script", "bash").stdout)
    #expect(!help.contains("\n  lfs "))
    #expect(try box.cairn("--version").stdout.wholeMatch(of: /\d+\.\d+\.\d+\n/) != nil)
  }

  @Test("takes --quiet before the command as well", arguments: ["-q", "--quiet"])
  func quiet(option: String) throws {
    let box = try Sandbox()
    _ = try box.startDataset(photos: 1)
    #expect(try box.cairn(option, "commit", in: "a").all == "")
    #expect(try box.cairn("--json", option, "-C", "a", "commit").json()["commit"] == .null)
  }

  @Test(
    "reports missing and invalid arguments as usage errors",
    arguments: [
      ["label"], ["status", "--frobnicate"], ["pin", "add", "1"], ["status", "x"],
      ["log", "--limit", "many"], ["clone"], ["photo", "add"], ["class", "merge", "x"],
      ["run", "start"],
      ["policy", "set", "--threshold", "high"], ["why"],
    ])
  func usage(arguments: [String]) throws {
    let box = try Sandbox()
    try box.cairn("init", "a")
    let output = try box.run("cairn", arguments, in: "a")
    #expect(output.status == ExitStatus.usage)
    #expect(output.stdout == "")
    #expect(output.stderr.contains("Usage: cairn") || output.stderr.contains("See 'cairn"))
  }

  @Test("prints one JSON value with --json before or after any command")
  func json() throws {
    let box = try Sandbox()
    try box.makeImages(0..<2, in: "in")
    #expect(try box.json("init", "a")["name"].string == "a")
    let photos = try box.json("photo", "add", "../in", in: "a").strings("id")
    for arguments in [
      ["pin", "add", "-33.8", "151.2", "--name", "Harbor"], ["pin", "list"],
      ["pin", "show", "Harbor"],
      ["pin", "move", "Harbor", "-33.8523", "-151"], ["pin", "rename", "Harbor", "Port"],
      ["pin", "remove", "Port"], ["pin", "restore", "Port"], ["photo", "list"],
      ["photo", "show", photos[0]], ["photo", "remove", photos[0]],
      ["photo", "restore", photos[0]],
      ["label", photos[0], "oak"], ["label", photos[1], "elm", "--as", "net@1"],
      ["accept", photos[1], "elm"], ["reject", photos[1], "elm"], ["unlabel", photos[0], "oak"],
      ["class", "list"], ["class", "rename", "elm", "Wych elm"],
      ["class", "alias", "Quercus", "oak"], ["class", "split", "Quercus"],
      ["class", "merge", "quercus", "oak"], ["class", "set", "genus", "oak", "elm"],
      ["class", "remove", "elm"], ["class", "list", "--removed"], ["class", "restore", "elm"],
      ["run", "start", "net@1"], ["run", "list"], ["policy", "set", "--people", "latest"],
      ["policy", "show"], ["photo", "edit", photos[0], "--title", "An oak"], ["why", photos[0]],
      ["agreement"], ["evaluate"], ["report"], ["report", "../report.html"],
      ["show", photos[0]], ["status"], ["commit"], ["commit"], ["log"],
      ["log", photos[0]], ["diff"], ["diff", "HEAD~1", "HEAD"], ["gc", "--dry-run"], ["gc"],
      ["remote", "add", "origin", "../x.git", "--create"], ["remote", "list"],
      ["config", "list"], ["config", "set", "gc.auto", "5000"], ["config", "get", "gc.auto"],
      ["config", "unset", "gc.auto"], ["doctor"],
      ["push"], ["pull"], ["sync"], ["verify"], ["verify", "--with", "origin"],
      ["clone", "../x.git", "../copy"], ["remote", "remove", "origin"],
    ] {
      let before = try box.run("cairn", ["--json"] + arguments, in: "a")
      #expect(before.status == 0, "\(arguments): \(before.stderr)")
      _ = try before.json()
      // A command that takes more than a second reports its progress as events.
      let messages = before.stderr.split(separator: "\n").filter {
        !($0.contains(#""event":"progress""#) && $0.hasSuffix("}"))
      }
      #expect(messages == [], "\(arguments)")
      let changes = ["remove", "rename", "add", "clone", "unlabel", "split"]
      if arguments.contains(where: changes.contains) { continue }
      let after = try box.run("cairn", arguments + ["--json"], in: "a")
      #expect(after.status == 0, "\(arguments): \(after.stderr)")
      _ = try after.json()
    }
  }

  @Test("prints an error with kind, message and exit code as one JSON value with --json")
  func jsonErrors() throws {
    let box = try Sandbox()
    try box.cairn("init", "a")
    for (arguments, kind, status) in [
      (["show", "0000"], "not-found", ExitStatus.notFound),
      (["pin", "add", "91", "0"], "invalid-input", ExitStatus.badData),
      (["pull"], "no-remote", ExitStatus.notFound),
      (["-C", "/", "status"], "not-a-dataset", ExitStatus.noDatasetOrIdentity),
      (["-C", "nowhere", "status"], "not-found", ExitStatus.notFound),
    ] {
      for line in [["--json"] + arguments, arguments + ["--json"]] {
        let output = try box.run("cairn", line, in: "a")
        #expect(output.status == status, "\(line)")
        let error = try output.json()["error"]
        #expect(error["kind"].string == kind)
        #expect(error["exitCode"].number == Double(status))
        #expect(output.stderr.hasPrefix("cairn: \(error["message"].string)\n"))
      }
    }
  }

  @Test("runs in the directory given with -C and finds the dataset from any directory inside")
  func directory() throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    #expect(try box.json("-C", "a", "photo", "list").elements.count == 1)
    #expect(try box.json("photo", "list", "-C", "a").elements.count == 1)
    try box.cairn("-C", "a", "label", "../from/a-0/photo-0.png", "oak")
    #expect(try box.labels(of: photo, in: "a/photos") == ["ann: oak present"])
    try box.cairn("-C", "a/labels", "commit")
    try box.cairn("-C", "from", "clone", "../a", "copy")
    #expect(box.exists("from/copy/cairn.json"))
    try box.cairn("init", "-C", "from", "fresh")
    #expect(box.exists("from/fresh/cairn.json"))
  }

  @Test("generates completion scripts that the shells parse", arguments: ["bash", "zsh", "fish"])
  func completions(shell: String) throws {
    let box = try Sandbox()
    let script = try box.cairn("completion", shell).stdout
    #expect(script.contains("complete \(shell)"))
    #expect(try box.cairn("--generate-completion-script", shell).stdout == script)
    try box.write(script, to: "script")
    if try box.run("sh", ["-c", "command -v \(shell)"]).status == 0 {
      #expect(try box.run(shell, ["-n", "script"]).status == 0)
    } else {
      #expect(shell != "bash", "bash is not installed")
    }
  }

  @Test("prints colors only on a terminal, and not with NO_COLOR or TERM=dumb")
  func colors() throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    try box.cairn("label", photo, "oak", in: "a")
    let line = "cairn show \(photo)"
    #expect(try !box.sh(line, in: "a").stdout.contains("\u{1B}"))
    // `script` runs the command in a terminal.
    guard try box.run("sh", ["-c", "command -v script"]).status == 0 else { return }
    let terminal = "script -qec '\(line)' /dev/null"
    #expect(try box.sh(terminal, in: "a").stdout.contains("\u{1B}["))
    for setting in ["NO_COLOR=1", "TERM=dumb"] {
      #expect(
        try !box.sh("\(setting) \(terminal)", in: "a").stdout.contains("\u{1B}["), "\(setting)")
    }
  }

  @Test("ends quietly when the reader closes the pipe, but fails on a full device")
  func brokenPipe() throws {
    let box = try Sandbox()
    _ = try box.startDataset(photos: 30)
    let output = try box.sh("cairn photo list --json | head -c 10", in: "a")
    #expect(output.bytes.count == 10)
    #expect(output.stderr == "")
    let full = try box.run("sh", ["-c", "cairn photo list > /dev/full"], in: "a")
    #expect(full.status != 0, "a failed write must not be a success")
  }
}
