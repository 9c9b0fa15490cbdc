import CairnDocument
import CairnMerge
import SystemPackage
import TestSupport
import Testing

@Suite(".mailmap")
struct MailmapTests {
  static let text = """
    # People of the trip <not@read>
    Alice Proper <alice@proper.org> <alice@laptop>
    Alice Proper <alice@proper.org> <ALICE@Phone>
    <bob@proper.org> <bob@old>
    Bob Proper <bob@proper.org>
    Cy Proper <cy@proper.org> cy <shared@desk>
    Di Proper <di@proper.org> DI NAME <shared@desk>
      Ed  Spaced   <ed@proper.org>   Ed   Name   <ed@old>   # said by Ed
    Only Name <only@name>
    <late@proper.org> <only@name>
    Broken <broken
    Nobody <>
    Empty <empty@proper.org> <>
    <chain@b> <chain@a>
    <chain@c> <chain@b>
    Jos\u{E9} \u{67F4} <jose@proper.org> <jose@old>\r
    First <first@x> <twice@x>
    Second <second@x> <twice@x>
    no address at all
    > < odd <odd@proper.org> < odd@old >
    Person <person@x> Named <own@x>
    Owner <own@x>
    """

  static let contacts = [
    "Al <alice@laptop>", "Al <alice@phone>", "Al <Alice@Phone>", "Al <alice@proper.org>",
    "B <bob@old>", "B <BOB@old>", "B <bob@proper.org>", "cy <shared@desk>", "CY <shared@desk>",
    "di name <shared@desk>", "Else <shared@desk>", "Ed   Name <ed@old>", "ed name <ed@old>",
    "E <ed@old>", "X <only@name>", "X <not@read>", "X <broken@x>", "X <chain@a>", "X <chain@b>",
    "X <jose@old>", "X <twice@x>", "X <odd@old>", "X < odd@old >", "Named <own@x>", "X <own@x>",
    "X <nowhere@x>", "X <SHARED@DESK>",
  ]

  @Test("maps names and addresses as git check-mailmap does")
  func oracle() throws {
    let directory = TemporaryDirectory()
    try git(["init", "-q"], in: directory)
    try directory.write(Self.text, to: ".mailmap")

    let mailmap = Mailmap(Self.text)
    let expected = try git(["check-mailmap"] + Self.contacts, in: directory)
      .split(separator: "\n").map(String.init)
    try #require(expected.count == Self.contacts.count)
    #expect(Set(expected).intersection(Self.contacts).count < Self.contacts.count / 2)
    for (contact, expected) in zip(Self.contacts, expected) {
      let parts = contact.split(separator: " <", maxSplits: 1).map(String.init)
      let found = mailmap.lookup(name: parts[0], email: String(parts[1].dropLast()))
      #expect("\(found.name) <\(found.email)>" == expected, "\(contact)")
    }
  }

  @discardableResult
  private func git(_ arguments: [String], in directory: TemporaryDirectory) throws -> String {
    let output = try Command("git", arguments, in: directory.root.string).run()
    try #require(output.status == 0, "git \(arguments): \(output.all)")
    return output.stdout
  }

  private func person(_ address: String, _ text: String = text) -> String {
    Mailmap(text).person(Annotator("human:" + address)!).identity
  }

  @Test("maps all addresses of a person to the proper address")
  func people() {
    for address in ["alice@laptop", "alice@phone", "Alice@Phone", "alice@proper.org"] {
      #expect(person(address) == "alice@proper.org")
    }
    #expect(person("bob@old") == "bob@proper.org")
    #expect(person("nobody@x") == "nobody@x")
    #expect(person("jose@old") == "jose@proper.org")
  }

  @Test("applies a line with a name only if the address belongs to one person")
  func names() {
    #expect(person("ed@old") == "ed@proper.org")
    #expect(person("shared@desk") == "shared@desk")
    #expect(person("own@x") == "own@x")
  }

  @Test("leaves models unchanged and ignores invalid addresses")
  func untouched() {
    let model = Annotator("model:alice@laptop")!
    #expect(Mailmap(Self.text).person(model) == model)
    #expect(person("a@x", "<> <a@x>") == "a@x")
    #expect(person("a@x", "<\(String(repeating: "b", count: 300))> <a@x>") == "a@x")
    #expect(person("a@x", "") == "a@x")
  }

  @Test("parses any text", arguments: UInt64(0)..<64)
  func total(seed: UInt64) {
    var random = SeededGenerator(seed)
    let text = (0..<200).map { _ in
      random.pick(["<", ">", "<", ">", "a@x", "#", " ", "\n", "\u{301}", "\r"])
    }
    .joined()
    let mailmap = Mailmap(text)
    #expect(Mailmap(text + "\n") == mailmap)
    #expect(mailmap.person(Annotator("human:a@x")!).isHuman)
  }
}
