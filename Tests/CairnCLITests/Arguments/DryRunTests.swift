import Foundation
import TestSupport
import Testing

@Suite("--dry-run, --quiet and --yes")
struct DryRunTests {
  /// Makes a dataset with two visible photos and a removed one. Ann labeled the first one oak and
  /// made it a favorite; a model labeled the second one oak.
  private func makeDataset(_ box: Sandbox) throws -> [String] {
    let photos = try box.startDataset(photos: 3)
    try box.cairn("label", photos[0], "oak", in: "a")
    try box.cairn("label", photos[1], "oak", "--as", "net@1", in: "a")
    try box.cairn("favorite", photos[0], in: "a")
    try box.cairn("photo", "remove", photos[2], in: "a")
    try box.cairn("labeler", "add", "own", "--program", "true", in: "a")
    try box.cairn("commit", in: "a")
    try box.makeImages(10..<12, in: "more")
    try box.sh("cp from/a-0/photo-0.png more")
    try box.write("Elm\nAsh\n", to: "classes.txt")
    return photos
  }

  @Test("counts what would be changed and changes nothing")
  func dryRun() throws {
    let box = try Sandbox()
    let photos = try makeDataset(box)
    try box.cairn("remote", "add", "origin", "../x.git", "--create", in: "a")
    let reversal =
      "This would change 1 of your earlier verdicts on “oak” from present to absent.\n"
    let cases: [(command: [String], text: String)] = [
      (
        ["label", "Elm", "--find", "-is:removed"],
        "Would label 2 photos: 2 new labels.\nWould create the class “Elm”.\n"
      ),
      (
        ["label", "oak", "--absent", "--find", "-is:removed"],
        "Would label 2 photos: 1 new label, 1 changed.\n\(reversal)"
      ),
      (["label", photos[1], "oak"], "Would label 1 photo: 1 new label.\n"),
      (["label", photos[0], "oak"], "Would label 1 photo: 1 label already there.\n"),
      (
        ["label", photos[0], "oak", "--absent"],
        "Would label 1 photo: 1 label changed.\n\(reversal)"
      ),
      (["unlabel", "oak", "--find", "-is:removed"], "Would unlabel 1 photo.\n"),
      (["unlabel", "oak", "--as", "net@1", "--find", "-is:removed"], "Would unlabel 1 photo.\n"),
      (["accept", "oak", "--find", "-is:removed"], "Would accept the predictions on 1 photo.\n"),
      (["reject", "oak", "--find", "-is:removed"], "Would reject the predictions on 1 photo.\n"),
      (["favorite", "--find", "-is:removed"], "Would add 1 photo to your favorites.\n"),
      (
        ["favorite", "--remove", "--find", "-is:removed"],
        "Would remove 1 photo from your favorites.\n"
      ),
      (["photo", "add", "../more"], "Would add 2 photos; 1 already known.\n"),
      (["photo", "edit", "--title", "Mine", "--find", "-is:removed"], "Would edit 2 photos.\n"),
      (["photo", "edit", photos[0], "--caption", ""], "Would edit 0 photos.\n"),
      (["photo", "remove", "--find", "-is:removed"], "Would remove 2 photos.\n"),
      (["photo", "restore", "--find", "is:removed"], "Would restore 1 photo.\n"),
      (["photo", "replace", "--find", "-is:removed"], "Would replace 2 photos.\n"),
      (
        ["photo", "fetch", "--source", "commons", "--text", "oak", "--limit", "5"],
        "Would fetch up to 5 photos from Wikimedia Commons.\n"
      ),
      (
        ["photo", "fetch", "--source", "folder", "--from", "../more"],
        "Would fetch up to 3 photos from a folder.\n"
      ),
      (["class", "import", "../classes.txt"], "2 new classes; 0 already known. Nothing was"),
      (["predict"], "Would run “own” on up to 2 photos.\n"),
      (["images", "fetch"], "Would fetch 0 images (0 B).\n"),
      (["images", "drop", "--all"], "Would drop up to 3 images ("),
      (["images", "push"], "Would upload 3 images ("),
      (["checkout", "--find", "-is:removed"], "Would check out 2 photos.\n"),
      (["checkout", "none"], "Would check out no documents.\n"),
      (["gc", "--days", "1"], "No committed removals are older than 1 day.\n"),
    ]
    let before = try box.listing()
    for (command, text) in cases {
      for option in ["-n", "--dry-run"] {
        let output = try box.run("cairn", command + [option], in: "a")
        #expect(output.status == 0, "\(command): \(output.stderr)")
        #expect(output.stdout.hasPrefix(text), "\(command): \(output.stdout)")
      }
      let json = try box.run("cairn", command + ["-n", "--json"], in: "a").json()
      #expect(json["dryRun"].isTrue, "\(command)")
      // The counts are the result: --quiet does not suppress them.
      let quiet = try box.run("cairn", command + ["-n", "-q"], in: "a")
      #expect(quiet.stdout.hasPrefix(text), "\(command): \(quiet.stdout)")
      #expect(try box.listing().differences(from: before).isEmpty, "\(command)")
    }
    let label = try box.json("label", "oak", "--absent", "--find", "-is:removed", "-n", in: "a")
    #expect(label["photos"].number == 2 && label["verdictChanges"].number == 1)
    #expect(label["newLabels"].number == 1 && label["changedLabels"].number == 1)
    #expect(label["knownLabels"].number == 0)
    try box.refuses("photo", "remove", "0000", "-n", in: "a", with: ExitStatus.notFound)
    try box.refuses("images", "fetch", "--remote", "x", "-n", in: "a", with: ExitStatus.notFound)
  }

  @Test("counts the labels that would contradict other people")
  func contradictions() throws {
    let box = try Sandbox()
    let photos = try makeDataset(box)
    try box.setIdentity("Bob", in: "a")
    try box.cairn("label", photos[1], "oak", in: "a")
    let absent = ["label", "oak", "--absent", "--find", "-is:removed", "-n"]
    // Ann labeled the first photo oak, and Bob the second one.
    let output = try box.run("cairn", absent, in: "a").stdout
    #expect(
      output.hasPrefix(
        "Would label 2 photos: 1 new label, 1 changed; 1 contradicts other people.\n"), "\(output)")
    let json = try box.run("cairn", absent + ["--json"], in: "a").json()
    #expect(json["contradictions"].number == 1 && json["verdictChanges"].number == 1)
    let model = try box.run("cairn", absent + ["--as", "net@2"], in: "a").stdout
    #expect(model == "Would label 2 photos: 2 new labels.\n")
  }

  @Test("shows what a command would do to a class, a pin, a run, a split or the policy")
  func dryRunOfOne() throws {
    let box = try Sandbox()
    let photos = try makeDataset(box)
    try box.cairn("label", photos[0], "elm", "ash", in: "a")
    try box.cairn("class", "remove", "ash", in: "a")
    try box.cairn("class", "alias", "Quercus", "oak", in: "a")
    let pin = try box.json("pin", "add", "1", "2", "--name", "Mill", in: "a")["id"].string
    try box.cairn("photo", "edit", photos[0], "--pin", pin, in: "a")
    let dam = try box.json("pin", "add", "1", "2", "--name", "Dam", in: "a")["id"].string
    try box.cairn("pin", "remove", dam, in: "a")
    let run = try box.json("run", "start", "net@2", in: "a")["id"].string
    try box.cairn("label", photos[1], "fir", "--run", run, in: "a")
    let withdrawn = try box.json("run", "start", "net@3", in: "a")["id"].string
    try box.cairn("run", "withdraw", withdrawn, in: "a")
    try box.cairn("split", "add", "field", "train=3,test=1", in: "a")
    let cases: [(command: [String], text: String)] = [
      (["class", "merge", "elm", "oak"], "Would merge elm (1 photo) into oak.\n"),
      (["class", "merge", "quercus", "oak"], "“Quercus” (quercus) is unchanged.\n"),
      (["class", "rename", "elm", "Ulmus"], "Would rename “elm” (1 photo) to “Ulmus”.\n"),
      (
        ["class", "remove", "elm"],
        "Would remove elm. 1 photo keeps its labels, which still count.\n"
      ),
      (["class", "restore", "ash"], "Would restore ash. 1 photo has it.\n"),
      (["class", "alias", "Alder", "oak"], "Would make “Alder” an alias of oak (1 photo).\n"),
      (["class", "split", "quercus"], "Would make quercus (0 photos) a separate class.\n"),
      (
        ["class", "set", "tree", "oak", "elm"],
        "oak would be in the set “tree”.\nelm would be in the set “tree”.\n"
      ),
      (["class", "set", "none", "oak"], "oak is already in no set.\n"),
      (["run", "start", "net@4"], "Would start a run of net@4.\n"),
      (
        ["run", "withdraw", run],
        "Would withdraw \(run.prefix(8)) of net@2: 1 label would no longer count.\n"
      ),
      (["run", "restore", run], "\(run.prefix(8)) of net@2 is not withdrawn.\n"),
      (
        ["run", "restore", withdrawn],
        "Would restore \(withdrawn.prefix(8)) of net@3: 0 labels would count again.\n"
      ),
      (["pin", "add", "3", "4"], "Would add a pin at 3.0, 4.0.\n"),
      (
        ["pin", "move", "Mill", "5", "6"],
        "Would move pin \(pin) “Mill” to 5.0, 6.0. 1 photo has it.\n"
      ),
      (["pin", "rename", "Mill", "Weir"], "Would name pin \(pin) “Weir”. 1 photo has it.\n"),
      (["pin", "remove", "Mill"], "Would remove pin \(pin) “Mill”. 1 photo has it.\n"),
      (["pin", "restore", dam], "Would restore pin \(dam) “Dam”. 0 photos have it.\n"),
      (["split", "add", "second", "train=3,test=1"], "Would record second: "),
      (["split", "add", "field", "train=3,test=1"], "Already recorded: field: "),
      (["split", "remove", "field"], "Would remove the split field.\n"),
      (
        ["policy", "set", "--people", "latest"],
        "Would set these rules:\nPeople's labels override those of models.\n"
      ),
    ]
    let before = try box.listing()
    for (command, text) in cases {
      let output = try box.run("cairn", command + ["-n", "-q"], in: "a")
      #expect(output.status == 0, "\(command): \(output.stderr)")
      #expect(output.stdout.hasPrefix(text), "\(command): \(output.stdout)")
      let json = try box.run("cairn", command + ["--dry-run", "--json"], in: "a").json()
      #expect(json["dryRun"].isTrue, "\(command)")
      #expect(try box.listing().differences(from: before).isEmpty, "\(command)")
    }
    let merged = try box.json("class", "merge", "elm", "oak", "-n", in: "a")
    #expect(merged["aliasOf"].string == "oak" && merged["photos"].number == 1)
    // A dry run fails where the command would.
    try box.refuses("class", "merge", "elm", "elm", "-n", in: "a", with: ExitStatus.badData)
    try box.refuses("pin", "move", "Nowhere", "1", "2", "-n", in: "a", with: ExitStatus.notFound)
    #expect(try box.listing().differences(from: before).isEmpty)
  }

  @Test("prints no success message with --quiet, but errors, warnings and JSON")
  func quiet() throws {
    let box = try Sandbox()
    let photos = try makeDataset(box)
    for command in [
      ["init", "../b"], ["pin", "add", "1", "2", "--name", "Mill"], ["photo", "add", "../more"],
      ["label", photos[1], "elm"], ["accept", photos[1], "oak"], ["unlabel", photos[1], "elm"],
      ["favorite", photos[1]], ["photo", "edit", photos[1], "--pin", "Mill"],
      ["photo", "restore", photos[2]], ["photo", "remove", photos[2]],
      ["class", "rename", "elm", "Elm"], ["class", "set", "tree", "oak", "elm"],
      ["class", "import", "../classes.txt"], ["split", "add", "field", "train=1"],
      ["policy", "set", "--people", "latest"], ["commit"], ["commit"], ["verify"], ["gc"],
      ["checkout", "all"], ["remote", "add", "origin", "../x.git", "--create"], ["push"], ["pull"],
      ["sync"], ["images", "push"], ["images", "fetch"], ["verify", "--with", "origin"],
      ["clone", "../x.git", "../copy"], ["report", "../report.html"],
      ["labeler", "remove", "own"], ["remote", "remove", "origin"],
    ] {
      let output = try box.run("cairn", command + ["--quiet"], in: "a")
      #expect(output.status == 0, "\(command): \(output.stderr)")
      #expect(output.stdout == "" && output.stderr == "", "\(command): \(output.stdout)")
    }
    let json = try box.json("label", photos[0], "ash", "-q", in: "a")
    #expect(json.elements[0]["changed"].isTrue)
    try box.refuses("label", "0000", "oak", "-q", in: "a", with: ExitStatus.notFound)
    try box.write("text", to: "bad.png")
    let bad = try box.run("cairn", ["photo", "add", "../bad.png", "-q"], in: "a")
    #expect(bad.status == ExitStatus.badData && bad.stdout.contains("not added"))
    #expect(bad.lines.count == 1)
    // What a command is asked for is printed all the same.
    #expect(try box.cairn("status", "-q", in: "a").stdout.hasPrefix("a on main: "))
  }
}
