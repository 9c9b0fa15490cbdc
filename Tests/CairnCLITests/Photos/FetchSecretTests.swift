import Foundation
import TestSupport
import Testing

@Suite("Tokens in image addresses")
struct FetchSecretTests {
  private static let token = "SECRETTOKEN"

  @Test(
    "keeps tokens out of the output and the dataset",
    arguments: ["add", "fetch"], [[], ["--json"]])
  func tokens(command: String, options: [String]) throws {
    let scene = try FetchScene(
      #"{"faults": [{"match": "gone", "times": 9, "do": "status", "status": 404}, {"match": "broken", "times": 9, "do": "bytes", "body": "GIF89a"}, {"match": "page", "times": 9, "do": "bytes", "type": "text/html", "body": "<html>"}]}"#
    )
    let urls = ["good", "gone", "broken", "page"].map {
      "\(scene.services.base)/images/\($0)-1.png?w=640&token=\(Self.token)"
    }
    try scene.box.write(urls.joined(separator: "\n"), to: "list.txt")
    let arguments =
      command == "add" ? ["add"] + urls : ["fetch", "--source", "urls", "--from", "../list.txt"]
    for _ in 0..<2 {
      let output = try scene.box.run(
        "cairn", ["photo"] + arguments + options, in: "a", environment: scene.environment)
      let text = output.stdout + output.stderr
      #expect(!text.contains(Self.token), "\(text)")
      #expect(text.contains("gone-1.png?w=640") && text.contains("404"), "\(text)")
    }
    #expect(try scene.collectionOfAll == 1)
    #expect(
      scene.services.requests("/images/").allSatisfy { $0.query["token"] == Self.token },
      "the request must contain the token")
    try scene.box.cairn("commit", in: "a")
    for shown in [["photo", "list"], ["photo", "list", "--json"], ["log"]] {
      let output = try scene.box.run("cairn", shown, in: "a")
      #expect(output.status == 0 && !output.stdout.contains(Self.token))
    }
    #expect(try scene.box.run("grep", ["-r", Self.token, "."], in: "a").status == 1)
  }

  @Test(
    "refuses an invalid address without showing its token or password",
    arguments: ["ftp://example.org/a.jpg?token=", "https://ann:"])
  func refused(start: String) throws {
    let box = try Sandbox()
    try box.cairn("init", "a")
    let message = try box.refuses(
      "photo", "add", "\(start)\(Self.token)@example.org/a", in: "a", with: ExitStatus.badData)
    #expect(message.contains("example.org") && !message.contains(Self.token))
  }
}

extension FetchScene {
  fileprivate var collectionOfAll: Int { get throws { try box.listed(in: "a").count } }
}
