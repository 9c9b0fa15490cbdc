import CairnBase
import Testing

@testable import CairnHTTP

@Suite("Secrets of a request")
struct HTTPSecretsTests {
  private static let login = Base64.text(Array("ann:fir-cone".utf8))

  static let signed = HTTPSecrets(
    HTTPRequest(
      .put, "https://example.org/x?part=1&token=signed%2Dby%2Dnobody",
      headers: ["Authorization": "Basic \(login)", "Content-Type": "application/json"]))
  static let git = HTTPSecrets(
    HTTPRequest(
      .post, "https://example.org/info/refs?service=git-upload-pack",
      headers: ["X-Token": "Bearer of-bad-news", "Pragma": "no-cache"],
      credentials: HTTPCredentials(user: "ghp_0123456789abcdef", password: "mill-wheel")))
  static let address = HTTPSecrets(
    HTTPRequest(
      .get, "https://ghp_abcdef0123456789:bitter%20tea@example.org/x",
      headers: ["Cookie": "session=oak-and-elm; theme=dark"]))

  @Test(
    "are found in a text that repeats them",
    arguments: [
      (signed, "The token signed-by-nobody has expired."), (signed, "signed%2Dby%2Dnobody expired"),
      (signed, "Nobody has the password fir-cone."), (signed, "No login \(login)"),
      (git, "Bearer of-bad-news is unknown."), (git, "Wrong password: mill-wheel"),
      (git, "The user ghp_0123456789abcdef may not write."),
      (git, Base64.text(Array("ghp_0123456789abcdef:mill-wheel".utf8))),
      (address, "Who drinks bitter tea?"), (address, "bitter%20tea"),
      (address, "ghp_abcdef0123456789"), (address, "There is no session oak-and-elm."),
    ])
  func repeated(secrets: HTTPSecrets, text: String) {
    #expect(secrets.areIn(text))
    #expect(!HTTPSecrets().areIn(text))
  }

  @Test(
    "are not found in others",
    arguments: [
      (signed, "Part 1 was refused."), (signed, "I take no application/json."),
      (git, "git-upload-pack is not enabled."), (git, "The Bearer is unknown."),
      (git, "Cached answers need no-cache."), (address, "The theme is dark."),
    ])
  func ordinary(secrets: HTTPSecrets, text: String) {
    #expect(!secrets.areIn(text))
  }
}
