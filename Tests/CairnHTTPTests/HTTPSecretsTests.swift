import CairnBase
import Testing

@testable import CairnHTTP

@Suite("Secrets of a request")
struct HTTPSecretsTests {
  @Test(
    "are found in a text that repeats them",
    arguments: [
      ("The token signed-by-nobody has expired.", true), ("Bearer of-bad-news is unknown.", true),
      ("Nobody has the password fir-cone.", true), ("Wrong password: mill-wheel", true),
      ("The user ghp_0123456789abcdef may not write.", true),
      ("No such user: YW5uOmZpci1jb25l", true), ("part=1&token=signed-by-nobody is invalid", true),
      ("Part 1 was refused.", false), ("I take no application/json.", false),
      ("git-upload-pack is not enabled.", false), ("The Bearer is unknown.", false),
    ])
  func areIn(text: String, isRepeated: Bool) {
    let login = Base64.text(Array("ann:fir-cone".utf8))
    let requests = [
      HTTPRequest(
        .put, "https://example.org/x?part=1&token=signed-by-nobody",
        headers: ["Authorization": "Basic \(login)", "Content-Type": "application/json"]),
      HTTPRequest(
        .post, "https://example.org/info/refs?service=git-upload-pack",
        headers: ["X-Token": "Bearer of-bad-news"],
        credentials: HTTPCredentials(user: "ghp_0123456789abcdef", password: "mill-wheel")),
    ]
    #expect(requests.contains { HTTPSecrets($0).areIn(text) } == isRepeated)
    #expect(!HTTPSecrets().areIn(text))
  }
}
