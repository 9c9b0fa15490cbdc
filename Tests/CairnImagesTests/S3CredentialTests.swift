import CairnFiles
import CairnStore
import CairnTransport
import Foundation
import Synchronization
import SystemPackage
import Testing

@testable import CairnImages

@Suite("S3 credentials")
struct S3CredentialTests {
  private let scratch: Scratch

  init() throws { scratch = Scratch() }

  private func write(_ text: String, to name: String, mode: Int = 0o600) throws -> String {
    let file = scratch.path.appending(name).string
    try Data(text.utf8).write(to: URL(filePath: file))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
    return file
  }

  private func load(
    _ environment: [String: String], profile: String? = nil
  ) throws -> S3Credentials? {
    let source = S3CredentialSource(
      address: try S3Address("s3://bucket" + (profile.map { "?profile=\($0)" } ?? "")),
      context: s3Context(), now: { 0 }, environment: { environment[$0] })
    return try source.load(source.configuration())
  }

  private func refusal(_ environment: [String: String], profile: String? = nil) throws -> String {
    let error = try #require(
      #expect(throws: TransferError.self) { try load(environment, profile: profile) })
    #expect(error.cause.kind == .authentication && error.scope == .remote && !error.isTransient)
    #expect(!"\(error)".contains("hush"))
    return error.cause.reason
  }

  /// Writes configuration files with several profiles and returns the environment that names them.
  private func home() throws -> [String: String] {
    [
      "HOME": scratch.path.string,
      "AWS_SHARED_CREDENTIALS_FILE": try write(
        """
        # mine
        [default]
        aws_access_key_id = FILE
        aws_secret_access_key=hush=1
        [team]
        AWS_ACCESS_KEY_ID : TEAM
        aws_secret_access_key = hush 2
        aws_secret_access_key = hush2
          nested = no
        aws_session_token =  t1\t
        [half]
        aws_access_key_id = HALF
        """, to: "credentials"),
      "AWS_CONFIG_FILE": try write(
        """
        [default]\r
        region = eu-north-1\r
        s3 =\r
            addressing_style = path\r
        ; a comment
        [profile  "team two"]
        aws_access_key_id = TWO
        aws_secret_access_key = hush3
        region = x-1
        [profile role]
        role_arn = arn:aws:iam::1:role/x
        source_profile = default
        [profile sso]
        sso_session = corp
        """, to: "config"),
    ]
  }

  @Test("takes credentials from the environment first, then from the files")
  func order() throws {
    var environment = try home()
    #expect(try load([:]) == nil)
    #expect(try load(["HOME": scratch.path.string]) == nil)
    #expect(
      try load(environment)
        == S3Credentials(keyID: "FILE", secret: "hush=1", token: nil))
    environment["AWS_PROFILE"] = "team"
    #expect(
      try load(environment) == S3Credentials(keyID: "TEAM", secret: "hush2", token: "t1"))
    environment["AWS_PROFILE"] = "team two"
    #expect(
      try load(environment) == S3Credentials(keyID: "TWO", secret: "hush3", token: nil))
    environment["AWS_ACCESS_KEY_ID"] = "ENV"
    environment["AWS_SECRET_ACCESS_KEY"] = "hush4"
    #expect(
      try load(environment) == S3Credentials(keyID: "ENV", secret: "hush4", token: nil))
    // The address names a profile that exists here, then one that exists only on another device.
    #expect(try load(environment, profile: "team")?.keyID == "TEAM")
    #expect(try load(environment, profile: "elsewhere")?.keyID == "ENV")
  }

  @Test("reports configured credentials that are not available")
  func refusals() throws {
    var environment = try home()
    #expect(try refusal(environment, profile: "elsewhere").contains("no AWS profile “elsewhere”"))
    for (name, word) in [
      ("half", "complete access key"), ("role", "role_arn"), ("sso", "sso_session"),
    ] {
      #expect(try refusal(environment, profile: name).contains(word))
    }
    environment["AWS_ACCESS_KEY_ID"] = "ENV"
    #expect(try refusal(environment).contains("environment"))
    environment["AWS_SECRET_ACCESS_KEY"] = "hush\u{1B}"
    #expect(try refusal(environment).contains("environment"))
    environment["AWS_CONFIG_FILE"] = scratch.path.string
    #expect(try refusal(environment).contains("cannot read"))
  }

  @Test("runs the program of a profile without a shell and reports its failures")
  func program() throws {
    let script = try write(
      """
      #!/bin/sh
      [ "$#" = 3 ] && [ "$1" = "a b" ] && [ "$2" = '$HOME' ] && [ "$3" = ';exit' ] || exit 3
      echo '{"Version": 1, "AccessKeyId": "RUN", "SecretAccessKey": "hush5",
        "SessionToken": "t2", "Expiration": "2026-11-20T23:31:05Z"}'
      """, to: "my program", mode: 0o700)
    var environment = ["HOME": scratch.path.string]
    func configure(_ command: String) throws {
      environment["AWS_CONFIG_FILE"] = try write(
        "[default]\ncredential_process = \(command)\n", to: "config")
    }
    try configure("sh \"\(script)\" 'a b' $HOME \\;exit")
    #expect(
      try load(environment)
        == S3Credentials(
          keyID: "RUN", secret: "hush5", token: "t2", expires: 1_795_217_465_000))
    try configure("sh \"\(script)\" a")
    #expect(try refusal(environment).contains("exited with status 3"))
    try configure("echo hush")
    #expect(try refusal(environment).contains("JSON"))
    try configure("sh -c \"echo no login >&2; exit 1\"")
    #expect(try refusal(environment).contains("exited with status 1 (no login)"))
    try configure("/no/such/program")
    #expect(try refusal(environment).contains("could not be run"))
    try configure("sh \"open")
    #expect(try refusal(environment).contains("not a valid command"))
  }

  @Test(
    "splits a command line as Python does",
    .enabled(if: S3Program.isMotoInstalled, S3Program.missing), arguments: 0..<80)
  func words(seed: Int) throws {
    let letters = Array("ab 'x\"\\ \t$é~=")
    let text = String((0..<seed % 20 + 1).map { _ in letters.randomElement()! })
    let expected = try S3Moto.shared().program.ask("words", ["text": text], as: [String]?.self)
    #expect(commandArguments(text) == expected, "\(text)")
  }

  @Test("gets credentials from a local service and renews them before they expire")
  func service() throws {
    let start = s3Now()
    let key = S3Key(keyID: "LENT", secret: "hush6", token: "token-2")
    func credentials(_ token: String, in milliseconds: Int64) -> [String: any Sendable] {
      [
        "AccessKeyId": key.keyID, "SecretAccessKey": key.secret, "Token": token,
        "Expiration": Date(timeIntervalSince1970: Double(start + milliseconds) / 1000)
          .ISO8601Format(),
      ]
    }
    let server = try StrictS3(
      key: key,
      [
        "serviceToken": "let me in",
        "serviceCredentials": [
          credentials("token-1", in: 600_000), credentials("token-2", in: 3_600_000),
        ],
      ])
    let clock = Mutex(start)
    let remote = try server.remote(
      environment: [
        "AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://127.0.0.1:\(server.port)/-/credentials?a=b",
        "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": try write("let me in\n", to: "token"),
      ], now: { clock.withLock { $0 } })
    let connection = try remote.connect()
    // The server does not know the first token.
    guard
      case .rejected(let error) = try connection.query(
        .download, about: [ImageObject(pointer(to: [1]))])[0]
    else {
      Issue.record("the first token was not used")
      return
    }
    #expect(error.cause.kind == .authentication && !"\(error)".contains("token-1"))
    clock.withLock { $0 += 400_000 }
    guard case .missing = try connection.query(.download, about: [ImageObject(pointer(to: [1]))])[0]
    else {
      Issue.record("the second token was not used")
      return
    }
    #expect(
      try refusal(["AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://example.org/hush"])
        .contains("https"))
    #expect(
      try refusal(["AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://127.0.0.1.example.org/hush"])
        .contains("https"))
  }

  @Test(
    "parses a time of expiry in UTC",
    arguments: [
      ("2019-05-29T00:21:43Z", 1_559_089_303_000), ("2019-05-29T00:21:43.25Z", 1_559_089_303_000),
      ("2019-05-29T00:21:43+00:00", 1_559_089_303_000), ("2019-05-29T00:21:43+02:00", nil),
      ("2019-05-29", nil), ("", nil),
    ] as [(String, Int64?)])
  func expiry(text: String, milliseconds: Int64?) {
    #expect(S3CredentialSource.milliseconds(text) == milliseconds)
  }
}
