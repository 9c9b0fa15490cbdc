import Foundation
import TestSupport
import Testing

@Suite("Tokens in addresses are told to nobody")
struct FetchSecretTests {
  private static let token = "SECRETTOKEN"

  @Test(
    "neither output nor dataset has them, whatever becomes of the photo",
    arguments: ["add", "fetch"], [[], ["--json"]])
  func tokens(command: String, options: [String]) throws {
    let scene = try FetchScene(
      #"{"faults": [{"match": "gone", "times": 9, "do": "status", "status": 404}, {"match": "broken", "times": 9, "do": "bytes", "body": "GIF89a"}, {"match": "page", "times": 9, "do": "bytes", "type": "text/html", "body": "<html>"}]}"#
    )
    let urls = ["good", "gone", "broken", "page"].map {
      "\(scene.services.base)/images/\($0)-1.png?w=640&token=\(Self.token)"
    }
    try scene.box.write(urls.joined(separator: "\n"), to: "list.txt")
    let words =
      command == "add" ? ["add"] + urls : ["fetch", "--source", "urls", "--from", "../list.txt"]
    for _ in 0..<2 {
      let output = try scene.box.run(
        "cairn", ["photo"] + words + options, in: "a", environment: scene.environment)
      let told = output.stdout + output.stderr
      #expect(!told.contains(Self.token), "\(told)")
      #expect(told.contains("gone-1.png?w=640") && told.contains("404"), "\(told)")
    }
    #expect(try scene.collectionOfAll == 1)
    #expect(
      scene.services.requests("/images/").allSatisfy { $0.query["token"] == Self.token },
      "the server is asked with them")
    try scene.box.cairn("commit", in: "a")
    for shown in [["photo", "list"], ["photo", "list", "--json"], ["log"]] {
      let output = try scene.box.run("cairn", shown, in: "a")
      #expect(output.status == 0 && !output.stdout.contains(Self.token))
    }
    #expect(try scene.box.run("grep", ["-r", Self.token, "."], in: "a").status == 1)
  }

  @Test(
    "what is no address is told without them",
    arguments: ["ftp://example.org/a.jpg?token=", "https://ann:"])
  func refused(start: String) throws {
    let box = try Sandbox()
    try box.cairn("init", "a")
    let said = try box.refuses(
      "photo", "add", "\(start)\(Self.token)@example.org/a", in: "a", with: ExitStatus.badData)
    #expect(said.contains("example.org") && !said.contains(Self.token))
  }
}

extension FetchScene {
  fileprivate var collectionOfAll: Int { get throws { try box.listed(in: "a").count } }
}
