import CairnFiles
import CairnSync
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
    let large = "example.org returned 413: too large"
    let push = hint(.protocolViolation, "https://example.org/x", large)
    #expect(push.contains("client_max_body_size") && !push.contains("cairn remote images"))
    #expect(
      hint(.protocolViolation, "https://example.org/x", large, ofImages: true)
        .contains("cairn remote images"))
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
    #expect(
      hint(.damaged, "/mnt/nas", "its copy is damaged", ofImages: true)
        .contains("`cairn images push --repair`"))
    var pending = TransportError(
      .connectionLost, "https://example.org/x", "the server may still accept the push")
    pending.subject = .pendingPush
    let later = CairnError(pending).hint ?? ""
    #expect(later.contains("`cairn sync`") && !later.contains("half done"))
    let disk = CairnError(FileError("write", "/media/usb/x", .readOnlyFileSystem))
    #expect(disk.message.contains("read-only") && disk.hint?.contains("ls -ld") == false)
  }

  @Test("quotes what others may have chosen in the commands that it suggests")
  func quotes() {
    let text = "$(touch x)`touch y`;'"
    let quoted = #"'drive:$(touch x)`touch y`;'\''"# + "'"
    #expect(
      hint(.unsupportedAddress, "rclone:drive:\(text)", "no", ofImages: true)
        .contains("`rclone lsd \(quoted)`"))
    #expect(
      hint(.protocolViolation, "https://example.org/\(text)", "no")
        .contains("`git ls-remote 'https://example.org/"))
    let gone = CairnError(
      SyncError.branchGone(
        remote: "origin", branch: "main", default: "a;touch$IFS@x", exists: false))
    #expect(gone.hint?.contains("`git branch -m main 'a;touch$IFS@x'`") == true)
    let changed = CairnError(SyncError.encryptionChanged("origin", url: "/tmp/$(touch x)"))
    #expect(changed.hint?.contains("`cairn remote images origin '/tmp/$(touch x)'`") == true)
    #expect(changed.kind == .untrusted && changed.kind.exitCode == 77)
  }
}
