import Foundation
import TestSupport
import Testing

@Suite("Labels of people and models")
struct LabelInputTests {
  @Test("gives a label, withdraws it and gives it again")
  func unlabel() throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    try box.cairn("label", photo, "Oak", in: "a")
    #expect(try box.state(of: "oak", on: photo, in: "a") == "confirmed")
    let again = try box.json("label", photo, "oak", in: "a")
    #expect(again.elements.map(\.["changed"]) == [.bool(false)])
    try box.cairn("unlabel", photo, "OAK", in: "a")
    #expect(try box.labels(of: photo, in: "a") == ["ann: oak withdrawn"])
    #expect(try box.state(of: "oak", on: photo, in: "a") == nil)
    try box.cairn("label", photo, "oak", in: "a")
    try box.cairn("label", photo, "oak", "--absent", in: "a")
    #expect(try box.labels(of: photo, in: "a") == ["ann: oak absent"])
    #expect(try box.state(of: "oak", on: photo, in: "a") == "rejected")
  }

  @Test("gives each label a later stamp than the label it replaces")
  func stamps() throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    var last = ""
    for round in 0..<6 {
      let verdict = round % 2 == 0 ? ["--absent"] : []
      let output = try box.run("cairn", ["label", photo, "oak", "--json"] + verdict, in: "a")
      let stamp = try output.json().elements[0]["label"]["stamp"].string
      #expect(stamp > last)
      last = stamp
    }
  }

  @Test("keeps people's verdicts when models label again")
  func models() throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    try box.cairn("label", photo, "oak", "elm", "--as", "net@1", "--confidence", "0.9", in: "a")
    #expect(try box.state(of: "oak", on: photo, in: "a") == "predicted")
    try box.cairn("accept", photo, "oak", in: "a")
    try box.cairn("reject", photo, "elm", in: "a")
    #expect(try box.state(of: "oak", on: photo, in: "a") == "confirmed")
    #expect(try box.state(of: "elm", on: photo, in: "a") == "rejected")
    try box.cairn("label", photo, "elm", "--as", "net@2", "--confidence", "1", in: "a")
    #expect(try box.state(of: "elm", on: photo, in: "a") == "rejected")
    #expect(try box.labels(of: photo, in: "a").count == 5)
    try box.cairn("unlabel", photo, "elm", in: "a")
    #expect(try box.state(of: "elm", on: photo, in: "a") == "predicted")
  }

  @Test(
    "records absent when a model's absent is accepted, and present when it is rejected"
  )
  func judgingAbsent() throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    try box.cairn("label", photo, "oak", "elm", "--absent", "--as", "net@1", in: "a")
    try box.cairn("accept", photo, "oak", in: "a")
    try box.cairn("reject", photo, "elm", in: "a")
    #expect(try box.state(of: "oak", on: photo, in: "a") == "rejected")
    #expect(try box.state(of: "elm", on: photo, in: "a") == "confirmed")
    try box.cairn("label", photo, "ash", in: "a")
    #expect(try box.run("cairn", ["accept", photo, "ash"], in: "a").status == ExitStatus.notFound)
  }

  @Test("removes and restores a photo that has a label with a stamp in the future")
  func removalAhead() throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    try box.cairn("label", photo, "oak", in: "a")
    let label = try #require(try box.documents("labels", in: "a").first)
    try box.replace("\"stamp\": \"20", with: "\"stamp\": \"21", in: label)
    try box.cairn("photo", "remove", photo, in: "a")
    #expect(try box.listed(in: "a") == [])
    try box.cairn("label", photo, "elm", in: "a")
    #expect(try box.listed(in: "a") == [photo])
  }

  @Test("restores a removed photo when a person labels it, but not when a model does")
  func removal() throws {
    let box = try Sandbox()
    let photos = try box.startDataset(photos: 3)
    try box.cairn("label", photos[0], "oak", in: "a")
    try box.cairn("photo", "remove", photos[0], photos[1], in: "a")
    #expect(try box.listed(in: "a") == [photos[2]])
    #expect(try box.json("photo", "list", "is:removed OR -is:removed", in: "a").elements.count == 3)
    #expect(try !box.json("show", photos[0], in: "a")["visible"].isTrue)

    try box.cairn("label", photos[0], "elm", "--as", "net@1", in: "a")
    #expect(try box.listed(in: "a") == [photos[2]])
    try box.cairn("label", photos[0], "oak", in: "a")
    #expect(try box.listed(in: "a") == [photos[0], photos[2]])
    #expect(try box.json("show", photos[0], in: "a")["restoredBy"].string.contains("ann"))
    try box.cairn("photo", "remove", photos[0], in: "a")
    #expect(try box.listed(in: "a") == [photos[2]])

    try box.cairn("photo", "restore", photos[0], photos[1], in: "a")
    #expect(try box.listed(in: "a") == Set(photos))
    #expect(try box.state(of: "oak", on: photos[0], in: "a") == "confirmed")
  }

  @Test("restores a photo on both devices when one removes it and the other labels it later")
  func removalAgainstLabel() throws {
    let box = try Sandbox()
    let photos = try box.startDataset(photos: 3)
    try box.cairn("commit", in: "a")
    try box.cairn("clone", "a", "b")
    try box.setIdentity("Bob", in: "b")

    // B labels one photo before and one after A removes all three; a model labels the third.
    try box.cairn("label", photos[0], "oak", in: "b")
    try box.cairn("photo", "remove", photos[0], photos[1], photos[2], in: "a")
    try box.cairn("label", photos[1], "oak", in: "b")
    try box.cairn("label", photos[2], "oak", "--as", "net@1", in: "b")
    try box.cairn("commit", in: "a")
    try box.cairn("sync", in: "b")

    for device in ["a", "b"] {
      #expect(try box.listed(in: device) == [photos[1]])
      #expect(try box.labels(of: photos[0], in: device) == ["bob: oak present"])
    }
    try box.cairn("photo", "restore", photos[0], in: "a")
    #expect(try box.state(of: "oak", on: photos[0], in: "a") == "confirmed")
    try box.expectEqual("a", "b")
  }

  @Test("treats spellings of a name as one class, but C++ and C# as two")
  func spellings() throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    try box.cairn(
      "label", photo, "Cairn Terrier", "cairn_terrier", "CAIRN-TERRIER ", "C++", "C#", in: "a")
    let classes = try box.json("class", "list", in: "a")
    #expect(classes.strings("key") == ["c-951a4d36", "c-cedb1bac", "cairn-terrier"])
    #expect(classes.strings("name") == ["C#", "C++", "Cairn Terrier"])
  }

  @Test("prints the display name of a class, in any script")
  func className() throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    try box.cairn("label", photo, "Scots pine", "柴犬", in: "a")
    let printed = try box.cairn("label", photo, "scots-pine", "柴犬", "--absent", in: "a").lines
    #expect(printed.map { $0.contains(" Scots pine absent, by ") } == [true, false])
    #expect(printed.map { $0.contains(" 柴犬 absent, by ") } == [false, true])
    let withdrawn = try box.cairn("unlabel", photo, "柴犬", in: "a").lines[0]
    #expect(withdrawn.contains(" 柴犬 withdrawn, by "))
  }

  @Test("lists the commits that changed a photo's labels")
  func log() throws {
    let box = try Sandbox()
    let photos = try box.startDataset(photos: 2)
    try box.cairn("commit", in: "a")
    try box.cairn("label", photos[0], "oak", in: "a")
    try box.cairn("commit", "-m", "Oaks", in: "a")
    try box.cairn("label", photos[1], "elm", in: "a")
    try box.cairn("commit", in: "a")
    #expect(try box.json("log", in: "a").elements.count == 4)
    #expect(try box.json("log", "--limit", "2", in: "a").elements.count == 2)
    let history = try box.json("log", photos[0], in: "a")
    #expect(history.strings("summary").first == "Oaks")
    #expect(history.elements.count == 2)
    #expect(history.elements[0]["changes"].elements[0].string.contains("oak present"))
    let commits = try box.git("log", "--format=%H", in: "a").lines
    #expect(try box.json("log", in: "a").strings("commit") == commits)
  }
}
