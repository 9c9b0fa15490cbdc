import Foundation
import TestSupport
import Testing

@Suite("cairn help")
struct HelpTests {
  /// Returns the words of every command, such as `["pin", "add"]`, as ArgumentParser lists them.
  private func commands(_ box: Sandbox) throws -> [[String]] {
    func paths(_ command: JSONValue, _ path: [String]) -> [[String]] {
      command["subcommands"].elements.filter { $0["commandName"].string != "help" }.flatMap { sub in
        let path = path + [sub["commandName"].string]
        return [path] + paths(sub, path)
      }
    }
    let dump = try box.cairn("--experimental-dump-help").json()
    return [[]] + paths(dump["command"], [])
  }

  private func page(_ command: [String], columns: Int, _ box: Sandbox) throws -> [String] {
    let output = try box.run("cairn", ["help"] + command, environment: ["COLUMNS": "\(columns)"])
    #expect(output.status == 0)
    return output.stdout.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  @Test("wraps paragraphs and usage to the width, but not examples", arguments: [60, 80, 120])
  func wrapped(columns: Int) throws {
    let box = try Sandbox()
    let commands = try commands(box)
    #expect(commands.count > 80)
    for command in commands {
      let lines = try page(command, columns: columns, box)
      let name = command.joined(separator: " ")
      let widest = try page(command, columns: 1000, box)
      let text = lines.prefix { !$0.hasPrefix("USAGE:") }
      // Examples and tables are the same at any width.
      let fixed = widest.prefix { !$0.hasPrefix("USAGE:") }.filter { $0.hasPrefix("  ") }
      #expect(text.filter { $0.hasPrefix("  ") } == fixed, "\(name)")
      for (line, next) in zip(text, text.dropFirst())
      where !line.hasPrefix(" ") && line.contains(where: \.isLowercase) {
        #expect(line.count <= columns, "\(name): \(line)")
        guard let word = next.split(separator: " ").first, !next.hasPrefix(" ") else { continue }
        #expect(line.count + 1 + word.count >= columns, "\(name) is ragged: \(line)")
      }
      #expect(!lines.joined().contains("\u{A0}"), "\(name)")
      // The usage is wrapped between options, never between an option and its value.
      let usage = lines.drop { !$0.hasPrefix("USAGE:") }.prefix { !$0.isEmpty }
      for line in usage {
        #expect(line.count <= columns, "\(name): \(line)")
        #expect(line.count { "[<".contains($0) } == line.count { "]>".contains($0) }, "\(line)")
      }
      let unwrapped = usage.map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: " ")
      #expect(unwrapped == widest.first { $0.hasPrefix("USAGE:") }, "\(name)")
      let options = lines.drop { !$0.hasPrefix("OPTIONS:") }
      for line in options.prefix(while: { $0.first?.isUppercase != true || $0 == "OPTIONS:" }) {
        #expect(line.count <= columns, "\(name): \(line)")
      }
    }
  }

  @Test(
    "suggests the command that was probably intended",
    arguments: [
      (["stauts"], "cairn status"), (["help", "lable"], "cairn help label"),
      (["pin", "lst"], "cairn pin list"), (["help", "pin", "lst"], "cairn help pin list"),
      (["labler", "list"], "cairn labeler"),
    ])
  func suggestions(words: [String], suggestion: String) throws {
    let output = try Sandbox().run("cairn", words)
    #expect(output.status == ExitStatus.usage)
    #expect(output.stdout.isEmpty && output.stderr.contains("hint: Did you mean `\(suggestion)`?"))
  }

  @Test("reports an unknown command with a hint, and an unknown option")
  func unknown() throws {
    let box = try Sandbox()
    let command = try box.run("cairn", ["frobnicate", "--json"])
    #expect(command.status == ExitStatus.usage)
    #expect(try command.json()["error"]["kind"].string == "usage")
    #expect(command.stderr.contains("Unknown command “frobnicate”."))
    #expect(command.stderr.contains("`cairn help` lists the commands."))
    try box.cairn("init", "a")
    let option = try box.run("cairn", ["find", "--max", "3"], in: "a")
    #expect(option.status == ExitStatus.usage)
    #expect(option.stderr.contains("Unknown option “--max”."))
  }

  @Test("accepts British spelling in commands, options and queries")
  func british() throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    #expect(try box.json("find", "is:unlabelled", in: "a").elements.count == 1)
    try box.cairn("favourite", photo, in: "a")
    #expect(try box.json("find", "is:favourite", in: "a").elements.count == 1)
    #expect(try box.json("find", "licence:cc", in: "a").elements.isEmpty)
    try box.cairn("labeller", "list", in: "a")
    let labeller = try box.run("cairn", ["predict", "--labeller", "trees"], in: "a")
    #expect(!labeller.stderr.contains("Unknown option"))
    #expect(
      try box.cairn("help", "labeller").stdout == box.cairn("help", "labeler").stdout)
    let refused = try box.run(
      "cairn", ["photo", "fetch", "--source", "commons", "--text", "x", "--licence=mine"], in: "a")
    #expect(refused.stderr.contains("“mine” is not a known license."))
  }
}
