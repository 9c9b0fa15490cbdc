import Foundation
import Testing

@Suite("Labels of classes that do not exist yet")
struct NewClassTests {
  /// A photo with hemlock and Scots pine on it, and a name more for the hemlock.
  private func known(_ box: Sandbox) throws -> String {
    let photo = try box.startDataset(photos: 1)[0]
    try box.cairn("label", photo, "Hemlock", "Scots pine", in: "a")
    try box.cairn("class", "alias", "tsuga", "hemlock", in: "a")
    try box.git("config", "--global", "--unset", "cairn.createClasses")
    return photo
  }

  private func classes(_ box: Sandbox) throws -> [String] {
    try box.json("class", "list", in: "a").strings("key")
  }

  @Test("a misspelled class is not created, and the one that was meant is suggested")
  func misspelled() throws {
    let box = try Sandbox()
    let photo = try known(box)
    let suggestions = [
      "hemlok": "Hemlock", "Hmelock": "Hemlock", "hemmlocks": "Hemlock", "scots-pnie": "Scots pine",
      "SCOTSPINE": "Scots pine", "tsugaa": "tsuga",
    ]
    for (name, suggestion) in suggestions {
      let said = try box.refuses("label", photo, name, in: "a", with: ExitStatus.notFound)
      #expect(said.hasPrefix("cairn: There is no class “\(name)”.\n"), "\(said)")
      #expect(said.contains("hint: Did you mean “\(suggestion)”? To create"), "\(said)")
    }
    for name in ["yew", "heml", "Scots elm"] {
      let said = try box.refuses("label", photo, name, in: "a", with: ExitStatus.notFound)
      #expect(!said.contains("Did you mean"), "\(said)")
    }
    let found = try box.refuses(
      "label", "hemlok", "--find", "label:hemlock", in: "a", with: ExitStatus.notFound)
    #expect(
      found.contains("`cairn label hemlok --find label:hemlock --create`"), "\(found)")
    // Nothing of several is labeled when one is unknown.
    let several = try box.refuses(
      "label", photo, "tsuga", "it's new", "hemlok", in: "a", with: ExitStatus.notFound)
    #expect(several.contains("There are no classes “it's new”, “hemlok”."), "\(several)")
    #expect(try classes(box) == ["hemlock", "scots-pine", "tsuga"])

    let command = try #require(several.split(separator: "`").dropFirst().first)
    try box.sh(String(command), in: "a")
    #expect(try classes(box).count == 5)
    try box.cairn("label", photo, "hemlok", "HEMLOCK", "TSUGA", in: "a")
  }

  @Test("classes are created with --create, by the configuration, for models and by imports")
  func created() throws {
    let box = try Sandbox()
    let photo = try known(box)
    try box.cairn("label", photo, "hemlok", "--create", in: "a")
    try box.cairn("label", photo, "larch", "--as", "net@1", in: "a")
    let run = try box.json("run", "start", "net@1", in: "a")["id"].string
    try box.cairn("label", photo, "fir", "--run", run, in: "a")
    try box.git("config", "cairn.createClasses", "true", in: "a")
    try box.cairn("label", photo, "yew", in: "a")
    try box.git("config", "cairn.createClasses", "false", in: "a")
    try box.refuses("label", photo, "beech", in: "a", with: ExitStatus.notFound)
    #expect(
      try classes(box) == ["fir", "hemlock", "hemlok", "larch", "scots-pine", "tsuga", "yew"])
    try box.refuses("label", photo, " ", "--create", in: "a", with: ExitStatus.badData)
  }

  @Test("commands that need a class suggest one, too")
  func suggestions() throws {
    let box = try Sandbox()
    let photo = try known(box)
    for words in [
      ["unlabel", photo, "hemlok"], ["accept", photo, "hemlok"], ["find", "label:hemlok"],
      ["class", "rename", "hemlok", "x"],
    ] {
      let output = try box.run("cairn", words, in: "a")
      #expect(output.status == ExitStatus.notFound)
      #expect(output.stderr.contains("Did you mean “Hemlock”?"), "\(words) \(output.stderr)")
    }
  }

  @Test(
    "on a terminal it is asked, and only yes creates",
    .enabled(if: Keyboard.isThere, Keyboard.missing))
  func terminal() throws {
    let box = try Sandbox()
    let photo = try known(box)
    let result = try box.keyboard(
      """
      statuses = []
      for answer in ["", "y"]:
          session = shell("exec cairn label \(photo) hemlok")
          session.expect("There is no class “hemlok”. Did you mean “Hemlock”\\\\? Create “hemlok”")
          session.expect(r"\\[y/N\\] ")
          session.send(answer + "\\r")
          statuses.append(ended(session))
      told(statuses)
      """)
    #expect(result.elements.map(\.number) == [64, 0])
    #expect(try classes(box).contains("hemlok"))
  }
}
