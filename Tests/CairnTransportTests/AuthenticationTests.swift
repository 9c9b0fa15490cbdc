import CairnGit
import CairnHTTP
import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import CairnTransport

@Suite("Logins to web servers")
struct AuthenticationTests {
  private let box: Sandbox

  init() throws { box = try Sandbox(user: "Ann") }

  private func server(_ challenges: String...) throws -> PythonServer {
    try PythonServer(
      "Support/Programs/login_server.py", [box.root.appending("logins").string] + challenges)
  }

  /// Returns what the requests to the server were authenticated with.
  private func logins() throws -> [String] {
    try box.text("logins").split(separator: "\n").map(String.init)
  }

  /// Configures a credential helper that knows a password and logs its requests.
  private func addHelper() throws {
    try box.write(
      """
      #!/bin/sh
      echo "$1" >> "\(box.root)/asked"
      [ "$1" = get ] || exit 0
      echo username=ann
      echo password=secret
      """, to: "helper", isProgram: true)
    try box.git("config", "--global", "credential.helper", "\(box.root)/helper")
  }

  @Test(
    "gives no password to a server that does not offer Basic",
    arguments: ["", "ann:secret@"])
  func digestOnly(login: String) throws {
    let server = try server(#"Digest realm="a, Basic b", nonce="x", qop="auth""#, "Negotiate")
    try addHelper()
    let output = try box.runCairn(["clone", "http://\(login)127.0.0.1:\(server.port)/x.git", "a"])
    #expect(output.status == 77, "\(output.all)")
    #expect(output.stderr.contains("it offers only Digest, Negotiate"), "\(output.all)")
    #expect(output.stderr.contains("hint: Ask its administrator"), "\(output.all)")
    #expect(!output.all.contains("secret"))
    #expect(try logins() == ["none"])
    // Nor is a password that may be right erased.
    #expect(!box.exists("asked"))
  }

  @Test(
    "sends a password to a server that offers Basic among others, or names nothing",
    arguments: [[#"Negotiate, Basic realm="a, b""#], [#"Bearer realm="x""#, "basic"], []])
  func basic(challenges: [String]) throws {
    let server = try PythonServer(
      "Support/Programs/login_server.py", [box.root.appending("logins").string] + challenges)
    try addHelper()
    let output = try box.runCairn(["clone", "http://127.0.0.1:\(server.port)/x.git", "a"])
    #expect(output.status == 66, "\(output.all)")
    let basic = Data("ann:secret".utf8).base64EncodedString()
    #expect(try logins() == ["none", "Basic \(basic)"])
    #expect(try box.text("asked") == "get\n")
  }

  @Test("erases a wrong password, whatever its server names to reject it")
  func rejected() throws {
    let server = try server(#"Basic realm="a""#, "--", #"Bearer error="invalid_token""#)
    try addHelper()
    let output = try box.runCairn(["clone", "http://127.0.0.1:\(server.port)/x.git", "a"])
    #expect(output.status == 77, "\(output.all)")
    #expect(output.stderr.contains("rejected the user name and password"), "\(output.all)")
    #expect(try logins().count == 2)
    #expect(try box.text("asked") == "get\nerase\n")
  }

  @Test(
    "shows what a server says about a password that it rejects, unless that repeats the password",
    arguments: [("This account is locked.", true), ("Nobody has the password secret.", false)])
  func sentence(text: String, isShown: Bool) throws {
    let server = try server(#"Basic realm="a""#, "--", "say:\(text)", #"Basic realm="a""#)
    try addHelper()
    let output = try box.runCairn(["clone", "http://127.0.0.1:\(server.port)/x.git", "a"])
    #expect(output.status == 77, "\(output.all)")
    #expect(output.stderr.contains("rejected the user name and password"), "\(output.all)")
    #expect(output.stderr.contains("password: \(text)") == isShown, "\(output.all)")
    #expect(!output.all.contains("secret"))
  }

  @Test("sends neither a login nor a header for another server after a redirect")
  func redirected() throws {
    let other = try server(#"Basic realm="a""#)
    let first = try PythonServer(
      "Support/Programs/login_server.py",
      [box.root.appending("first").string, "--redirect", "http://127.0.0.1:\(other.port)"])
    let address = "127.0.0.1:\(first.port)"
    for setting in ["http.extraHeader", "http.http://\(address).extraHeader"] {
      try box.git("config", "--global", setting, "Authorization: Bearer of the first")
      let output = try box.runCairn(["clone", "http://ann:secret@\(address)/x.git", "a"])
      #expect(output.status == 77, "\(output.all)")
      #expect(try box.text("first").contains("Bearer of the first"))
      #expect(try logins() == ["none"])
      try box.git("config", "--global", "--unset", setting)
      for log in ["first", "logins"] { try box.write("", to: log) }
    }
  }

  @Test("gets another token when one that worked has expired")
  func expiredToken() throws {
    // A helper with a new token each time.
    try box.write(
      """
      #!/bin/sh
      cat > /dev/null
      echo "$2" >> '\(box.root)/asked'
      [ "$2" = fill ] || exit 0
      echo username=ann
      echo "password=token$(grep -c fill '\(box.root)/asked')"
      """, to: "git", isProgram: true)
    let server = try server(#"Basic realm="a""#)
    let url = "http://127.0.0.1:\(server.port)/x"
    let challenge = try HTTPClient().send(HTTPRequest(.get, url))
    #expect(challenge.status == 401)
    let address = try #require(WebAddress(url))
    let context = TransportContext(
      GitSettings(), git: GitProgram(path: box.root.appending("git")))

    let pull = HTTPAuthenticator(for: address, context)
    #expect(pull.credentials == nil)
    try pull.challenged(nil, by: challenge)
    #expect(pull.credentials?.password == "token1")
    pull.accepted(pull.credentials)
    // The push that follows begins with the token of the pull, which expires meanwhile.
    let push = HTTPAuthenticator(for: address, context)
    #expect(push.credentials?.password == "token1")
    try push.challenged(push.credentials, by: challenge)
    #expect(push.credentials?.password == "token2")
    push.accepted(push.credentials)
    // The other exchange takes the new token as well.
    try pull.challenged(pull.credentials, by: challenge)
    #expect(pull.credentials?.password == "token2")
    #expect(try box.text("asked") == "fill\napprove\nreject\nfill\napprove\n")

    // A token that never worked is wrong.
    let other = HTTPAuthenticator(for: address, context)
    try other.challenged(other.credentials, by: challenge)
    #expect(other.credentials?.password == "token3")
    let error = #expect(throws: TransportError.self) {
      try other.challenged(other.credentials, by: challenge)
    }
    #expect(error?.kind == .authentication && other.credentials == nil)
  }
}
