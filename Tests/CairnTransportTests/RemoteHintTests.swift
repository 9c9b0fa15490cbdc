import CairnFiles
import CairnTransport
import SystemPackage
import Testing

@testable import Cairn

@Suite("Hints of errors of remotes")
struct RemoteHintTests {
  private func hint(
    _ kind: TransportError.Kind, _ address: String, _ reason: String, ofImages: Bool = false
  ) -> String {
    var error = TransportError(kind, address, reason)
    if ofImages { error.subject = .images }
    return CairnError(error).hint ?? ""
  }

  @Test("suggests what fits the server and the cause")
  func hints() {
    #expect(
      hint(.authentication, "s3://walk", "the secret key is wrong", ofImages: true)
        .contains("AWS_ACCESS_KEY_ID"))
    #expect(hint(.authentication, "ssh://example.org/x", "denied").contains("ssh -v"))
    let bad = hint(.protocolViolation, "https://lfs.example.org", "no", ofImages: true)
    #expect(bad.contains("cairn remote images") && !bad.contains("git ls-remote"))
    #expect(hint(.protocolViolation, "https://example.org/x", "no").contains("git ls-remote"))
    let missing = CairnError(
      { () -> TransportError in
        var error = TransportError(.noRepository, "https://lfs.example.org", "it returned 404")
        error.subject = .images
        return error
      }())
    #expect(missing.kind == .notFound && !missing.message.contains("repository"))
    #expect(
      hint(.untrusted, "https://example.org/x", "the certificate has expired")
        .contains("renew the certificate"))
    #expect(hint(.untrusted, "https://example.org/x", "unknown").contains("sslCAInfo"))
    let disk = CairnError(FileError("write", "/media/usb/x", .readOnlyFileSystem))
    #expect(disk.message.contains("read-only") && disk.hint?.contains("ls -ld") == false)
  }
}
