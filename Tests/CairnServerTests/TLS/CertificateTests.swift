import Cairn
import CairnDocument
import CairnFiles
import Foundation
import TestSupport
import Testing

@testable import CairnServer

@Suite("HTTPS", .serialized, .enabled(if: Programs.isInstalled("openssl")))
struct CertificateTests {
  private func openssl(
    _ scene: TemporaryDirectory, _ arguments: [String], input: String = ""
  ) async throws -> ProgramOutput {
    try await onThread {
      var command = Command("openssl", arguments, in: scene.root.string)
      command.input = Data(input.utf8)
      return try command.run()
    }
  }

  private func request(_ scene: ServerScene) -> String {
    "GET /api/session HTTP/1.1\r\nHost: 127.0.0.1:\(scene.port)\r\n"
      + "Authorization: Bearer \(scene.links.key)\r\nConnection: close\r\n\r\n"
  }

  @Test("openssl accepts the self-signed certificate for its hosts, and its fingerprint")
  func certificate() async throws {
    let directory = TemporaryDirectory()
    let now = Cairn.Environment.machine.now()
    let certificate = try SelfSignedCertificate(
      hosts: ["localhost", "192.168.1.20"], from: now, days: 365)
    try directory.write(certificate.der, to: "c.der")
    let pem = try await openssl(
      directory, ["x509", "-inform", "DER", "-in", "c.der", "-out", "c.pem"])
    #expect(pem.status == 0, "\(pem.stderr)")
    for host in ["-verify_ip 192.168.1.20", "-verify_hostname localhost"] {
      let verified = try await openssl(
        directory,
        ["verify", "-x509_strict", "-check_ss_sig", "-CAfile", "c.pem"]
          + host.split(separator: " ").map(String.init) + ["c.pem"])
      #expect(verified.status == 0, "\(verified.all)")
    }
    let other = try await openssl(
      directory, ["verify", "-CAfile", "c.pem", "-verify_ip", "192.168.1.21", "c.pem"])
    #expect(other.status != 0)
  }

  @Test("answers over HTTPS, with the same certificate when it starts again")
  func answers() async throws {
    let scene = try await ServerScene.start { options, _ in
      options.encryption = .selfSigned
      options.hostNames = ["192.168.1.20"]
    }
    #expect(scene.links.owner.hasPrefix("https://127.0.0.1:"))
    let arguments = ["s_client", "-quiet", "-connect", "127.0.0.1:\(scene.port)"]
    let reply = try await openssl(scene.directory, arguments, input: request(scene))
    #expect(reply.stdout.contains("200 OK"), "\(reply.all)")
    let shown = try await openssl(
      scene.directory, ["s_client", "-connect", "127.0.0.1:\(scene.port)"])
    try scene.directory.write(shown.stdout, to: "shown.txt")
    let fingerprint = try await openssl(
      scene.directory, ["x509", "-in", "shown.txt", "-noout", "-fingerprint", "-sha256"])
    #expect(fingerprint.stdout.contains(try #require(scene.links.fingerprint)))

    let file = scene.dataset.appending(".git/cairn/certificate.json").string
    let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    let again = try await scene.restart { options, _ in
      options.encryption = .selfSigned
      options.hostNames = ["192.168.1.20"]
    }
    #expect(again.links.fingerprint == scene.links.fingerprint)
    let moved = try await again.restart { options, _ in
      options.encryption = .selfSigned
      options.hostNames = ["192.168.1.21"]
    }
    #expect(moved.links.fingerprint != scene.links.fingerprint)
  }

  @Test("uses the user's certificate, and refuses the key of another one")
  func ownCertificate() async throws {
    let directory = TemporaryDirectory()
    for name in ["a", "b"] {
      let made = try await openssl(
        directory,
        [
          "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
          "-subj", "/CN=localhost", "-keyout", "\(name).key", "-out", "\(name).pem",
        ])
      #expect(made.status == 0, "\(made.stderr)")
    }
    let paths = (directory.path("a.pem"), directory.path("a.key"), directory.path("b.key"))
    let scene = try await ServerScene.start { options, _ in
      options.encryption = .certificate(paths.0, key: paths.1)
    }
    let reply = try await openssl(
      directory,
      [
        "s_client", "-quiet", "-CAfile", "a.pem", "-verify_return_error", "-connect",
        "127.0.0.1:\(scene.port)",
      ], input: request(scene))
    #expect(reply.stdout.contains("200 OK"), "\(reply.all)")
    await #expect(throws: CairnError.self) {
      _ = try await ServerScene.start { options, _ in
        options.encryption = .certificate(paths.0, key: paths.2)
      }
    }
  }

  @Test("speaks no old versions of TLS")
  func versions() async throws {
    let scene = try await ServerScene.start { options, _ in options.encryption = .selfSigned }
    let old = try await openssl(
      scene.directory,
      ["s_client", "-tls1_1", "-cipher", "ALL:@SECLEVEL=0", "-connect", "127.0.0.1:\(scene.port)"])
    #expect(old.status != 0)
  }

  @Test(
    "parses addresses",
    arguments: [("192.168.1.20", true), ("1.2.3", false), ("1.2.3.256", false), ("a.b.c.d", false)])
  func addresses(text: String, isAddress: Bool) {
    #expect((IPv4Address(text) != nil) == isAddress)
  }
}
