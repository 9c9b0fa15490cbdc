import Foundation
import TestSupport
import Testing

@Suite("Labels of unknown classes")
struct NewClassTests {
  /// Makes a photo labeled hemlock and Scots pine, and an alias for hemlock; returns the photo.
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

  @Test("suggests the intended class instead of creating a misspelled one")
  func misspelled() throws {
    let box = try Sandbox()
    let photo = try known(box)
    let suggestions = [
      "hemlok": "Hemlock", "Hmelock": "Hemlock", "hemmlocks": "Hemlock", "scots-pnie": "Scots pine",
      "SCOTSPINE": "Scots pine", "tsugaa": "tsuga",
    ]
    for (name, suggestion) in suggestions {
      let message = try box.refuses("label", photo, name, in: "a", with: ExitStatus.notFound)
      #expect(message.hasPrefix("cairn: There is no class “\(name)”.\n"), "\(message)")
      #expect(message.contains("hint: Did you mean “\(suggestion)”? To create"), "\(message)")
    }
    for name in ["yew", "heml", "Scots elm"] {
      let message = try box.refuses("label", photo, name, in: "a", with: ExitStatus.notFound)
      #expect(!message.contains("Did you mean"), "\(message)")
    }
    let found = try box.refuses(
      "label", "hemlok", "--find", "label:hemlock", in: "a", with: ExitStatus.notFound)
    #expect(
      found.contains("`cairn label hemlok --find label:hemlock --create`"), "\(found)")
    // If one of several classes is unknown, no label is given.
    let several = try box.refuses(
      "label", photo, "tsuga", "it's new", "hemlok", in: "a", with: ExitStatus.notFound)
    #expect(several.contains("There are no classes “it's new”, “hemlok”."), "\(several)")
    #expect(try classes(box) == ["hemlock", "scots-pine", "tsuga"])

    let command = try #require(several.split(separator: "`").dropFirst().first)
    try box.sh(String(command), in: "a")
    #expect(try classes(box).count == 5)
    try box.cairn("label", photo, "hemlok", "HEMLOCK", "TSUGA", in: "a")
  }

  @Test("creates classes with --create, by configuration, and for labels of models and runs")
  func created() throws {
    let box = try Sandbox()
    let photo = try known(box)
    try box.cairn("label", photo, "hemlok", "--create", in: "a")
    // A script that answers yes to all questions must not create a misspelled class.
    let message = try box.refuses(
      "label", photo, "rowan", "--yes", in: "a", with: ExitStatus.notFound)
    #expect(message.contains("--yes --create`"), "\(message)")
    try box.cairn("label", photo, "larch", "--as", "net@1", in: "a")
    let run = try box.json("run", "start", "net@1", in: "a")["id"].string
    try box.cairn("label", photo, "fir", "--run", run, in: "a")
    try box.git("config", "cairn.createClasses", "true", in: "a")
    try box.cairn("label", photo, "yew", in: "a")
    try box.git("config", "cairn.createClasses", "false", in: "a")
    try box.refuses("label", photo, "beech", in: "a", with: ExitStatus.notFound)
    #expect(
      try classes(box)
        == ["fir", "hemlock", "hemlok", "larch", "scots-pine", "tsuga", "yew"])
    try box.refuses("label", photo, " ", "--create", in: "a", with: ExitStatus.badData)
  }

  @Test("suggests a class in commands that need an existing one")
  func suggestions() throws {
    let box = try Sandbox()
    let photo = try known(box)
    for arguments in [
      ["unlabel", photo, "hemlok"], ["accept", photo, "hemlok"], ["find", "label:hemlok"],
      ["class", "rename", "hemlok", "x"],
    ] {
      let output = try box.run("cairn", arguments, in: "a")
      #expect(output.status == ExitStatus.notFound)
      #expect(output.stderr.contains("Did you mean “Hemlock”?"), "\(arguments) \(output.stderr)")
    }
  }

  @Test(
    "asks on a terminal and creates the class only after yes",
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
      report(statuses)
      """)
    #expect(result.elements.map(\.number) == [64, 0])
    #expect(try classes(box).contains("hemlok"))
  }
}
