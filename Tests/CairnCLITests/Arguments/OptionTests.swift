import Foundation
import TestSupport
import Testing

@Suite("Options of all commands")
struct OptionTests {
  /// An option or a flag of one command.
  private struct Use {
    /// The words of the command, such as `photo list`.
    let command: String
    /// The name of its first long form, or of its short one if it has no other.
    let name: String
    /// `flag`, or `option` with the name of the value.
    let type: String
    let help: String
  }

  /// Returns the uses of each name, such as `--find` and `-n`, as ArgumentParser lists them.
  private func uses() throws -> [String: [Use]] {
    var uses: [String: [Use]] = [:]
    func visit(_ command: JSONValue, _ path: [String]) {
      for argument in command["arguments"].elements where argument["kind"].string != "positional" {
        let names = argument["names"].elements.map {
          ($0["kind"].string == "short" ? "-" : "--") + $0["name"].string
        }
        let isFlag = argument["kind"].string == "flag"
        for name in names {
          uses[name, default: []].append(
            Use(
              command: path.joined(separator: " "),
              name: names.first { $0.hasPrefix("--") } ?? name,
              type: isFlag ? "flag" : "option \(argument["valueName"].string)",
              help: argument["abstract"].string))
        }
      }
      for sub in command["subcommands"].elements where sub["commandName"].string != "help" {
        visit(sub, path + [sub["commandName"].string])
      }
    }
    visit(try Sandbox().cairn("--experimental-dump-help").json()["command"], [])
    return uses
  }

  @Test("takes --dry-run and --quiet in every command that changes what --find selects")
  func dryRun() throws {
    let uses = try uses()
    func commands(_ name: String) -> Set<String> { Set(uses[name, default: []].map(\.command)) }
    // `review` asks before each change, unless `--all-predicted` is given, and `pull` and `sync` only
    // fetch the images of the photos: what else they receive is not known before. `train` changes no photo.
    let others: Set = [
      "agreement", "categories", "evaluate", "images status", "pull", "review", "sync", "train",
    ]
    let selecting = commands("--find")
    #expect(others.isSubset(of: selecting))
    let changing = selecting.subtracting(others).filter { !$0.hasPrefix("export ") }
    #expect(changing.count >= 12)
    #expect(changing.subtracting(commands("--dry-run")).isEmpty)
    for command in ["photo add", "photo fetch", "class import", "import csv", "gc"] {
      #expect(commands("--dry-run").contains(command), "\(command)")
    }
    #expect(commands("--dry-run").subtracting(commands("--quiet")).isEmpty)
    #expect(
      commands("--yes") == [
        "label", "unlabel", "accept", "reject", "favorite", "review", "photo edit", "photo remove",
        "photo erase", "photo replace", "photo restore",
      ])
  }

  @Test("takes --dry-run in every command that changes documents")
  func dryRunOfChanges() throws {
    // The commands that change no document: they read, or change settings, images or remotes.
    let groups = ["config", "export", "images", "labeler", "lfs", "remote", "source"]
    let others: Set = [
      "agreement", "categories", "class list", "complete", "completion", "diff", "doctor",
      "evaluate", "find", "lfs-agent", "log", "operations", "photo list", "photo show", "pin list",
      "pin show", "policy show", "push", "report", "run list", "run show", "show", "split list",
      "status", "textconv", "verify", "why",
    ]
    // They change what a program, a page, git or a remote asks for, begin a dataset, or compute for
    // long: none knows before what it would change. `diff` shows what `commit` would record.
    let exceptions: Set = [
      "batch", "clone", "commit", "init", "merge-driver", "pull", "serve", "sync", "train",
    ]
    var without: Set<String> = []
    func visit(_ command: JSONValue, _ path: [String]) {
      let subcommands = command["subcommands"].elements.filter {
        $0["commandName"].string != "help"
      }
      for sub in subcommands { visit(sub, path + [sub["commandName"].string]) }
      let name = path.joined(separator: " ")
      guard subcommands.isEmpty, !groups.contains(path[0]), !others.contains(name) else { return }
      let names = command["arguments"].elements.flatMap { argument -> [String] in
        argument["kind"].string == "positional"
          ? [] : argument["names"].elements.map { $0["name"].string }
      }
      if !names.contains("dry-run") { without.insert(name) }
    }
    visit(try Sandbox().cairn("--experimental-dump-help").json()["command"], [])
    #expect(without == exceptions)
  }

  @Test("gives a name the same meaning in every command")
  func meanings() throws {
    let uses = try uses()
    #expect(uses.count > 80)
    // The columns of a table in `import`, and the file of a base map in `serve`: two terms of two fields.
    // So are the reason for an erasure, in words, and the reasons for which `review` asks.
    for (name, uses) in uses where !["--map", "--reason"].contains(name) {
      let (types, helps) = (Set(uses.map(\.type)), Set(uses.map(\.help)))
      #expect(types.count == 1 || helps.count == 1, "\(name): \(types) \(helps)")
      if !name.hasPrefix("--") {
        #expect(Set(uses.map(\.name)).count == 1, "\(name): \(uses.map(\.name))")
      }
    }
    for shared in [
      "--dry-run", "--find", "--json", "--limit", "--message", "--quiet", "--remote", "--yes", "-C",
      "-m", "-n", "-q", "-y",
    ] {
      #expect(Set(uses[shared, default: []].map(\.help)).count == 1, "\(shared)")
    }
  }

  @Test("shows an option of one format in no other")
  func formats() throws {
    let box = try Sandbox()
    for (option, format) in [("--map", "csv"), ("--folders", "imagefolder")] {
      for other in ["csv", "imagefolder", "coco"] {
        let help = try box.cairn("help", "import", other).stdout
        #expect(help.contains("  \(option) <") == (other == format), "\(option) \(other)")
      }
    }
  }

  @Test("offers only services to commands about services")
  func services() throws {
    let box = try Sandbox()
    for command in ["set", "test", "remove"] {
      let help = try box.cairn("help", "source", command).stdout
      #expect(help.contains("openverse") && !help.contains("urls"), "\(help)")
    }
  }

  @Test("limits results only with --limit")
  func limit() throws {
    let uses = try uses()
    for synonym in ["--max", "--number", "--top-n"] { #expect(uses[synonym] == nil) }
    #expect(uses["--count", default: []].allSatisfy { $0.type == "flag" })
    #expect(
      Set(uses["--limit", default: []].map(\.command))
        == ["find", "photo list", "photo fetch", "review", "log", "diff", "operations"])
  }

  @Test(
    "lists and shows photos with the same options and output under two names",
    arguments: [("find", "photo list"), ("show", "photo show")])
  func twoNames(name: String, other: String) throws {
    let uses = try uses()
    func options(_ command: String) -> Set<String> {
      Set(uses.filter { $0.value.contains { $0.command == command } }.keys)
    }
    #expect(options(name) == options(other))
    let box = try Sandbox()
    let photos = try box.startDataset(photos: 2)
    try box.cairn("label", photos[0], "oak", in: "a")
    let argument = name == "show" ? photos[0] : "label:oak"
    for options in [[], ["--json"]] {
      func output(_ command: String) throws -> String {
        let words = command.split(separator: " ").map(String.init)
        return try box.run("cairn", words + [argument] + options, in: "a").stdout
      }
      #expect(try output(name).contains("oak"))
      #expect(try output(name) == output(other))
    }
    let help = try box.run("cairn", ["help", "photo"]).stdout
      .split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(help.contains("the same as cairn \(name)"))
    let all = try box.cairn("photo", "list", "-label:oak", "--format", "paths", in: "a").stdout
    #expect(all == Sandbox.imagePath(photos[1]) + "\n")
  }
}
