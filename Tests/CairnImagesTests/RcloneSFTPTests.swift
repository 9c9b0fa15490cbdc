import CairnGit
import CairnImages
import CairnStore
import CairnTransport
import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("The sftp server of rclone", .enabled(if: Rclone.isInstalled, Rclone.missing))
struct RcloneSFTPTests {
  @Test("stores images, verifies their content, and replaces a damaged one")
  func images() throws {
    let box = try Sandbox(user: "Ann")
    let files = box.root.appending("files")
    try FileManager.default.createDirectory(
      atPath: files.string, withIntermediateDirectories: true)
    try box.succeed("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", "host_key"])
    let key = try box.text("host_key.pub").split(separator: " ").prefix(2).joined(separator: " ")
    try box.write("rclone \(key)\n", to: "known_hosts")
    let rclone = try Rclone(
      files, serving: "sftp", ["--no-auth", "--key", box.root.appending("host_key").string])
    var context = TransportContext(GitSettings(), git: nil)
    context.callSSH(
      "ssh -F /dev/null -o HostKeyAlias=rclone -o StrictHostKeyChecking=yes"
        + " -o UserKnownHostsFile=\(box.root)/known_hosts")
    let remote = try SFTPImages(
      SSHAddress(sftp: "sftp://ann@127.0.0.1:\(rclone.port)/images"), context)

    let here = Scratch()
    let images =
      try (0..<20).map { try here.add($0, size: 40_000) } + [here.add(99, size: 3_000_000)]
    let server = DirectoryServer(at: files.appending("images"))
    let transfer = ImageTransfer(remote, here.store, .quick())
    let sent = try transfer.send(images)
    #expect(sent.transferred == 21 && sent.failure == nil, "\(sent)")
    for image in images { #expect(try server.bytes(of: image.id) == here.bytes(of: image.id)) }

    try server.put(sampleBytes(98, size: 40_000), as: images[3].id)
    #expect(try transfer.verify(images).damaged == [images[3].id])
    #expect(try transfer.send(images, replacing: [images[3].id]).transferred == 1)
    let verified = try transfer.verify(images)
    #expect(verified.failure == nil && verified.missing.isEmpty, "\(verified)")
    let tmp = files.appending("images/tmp").string
    #expect(try FileManager.default.contentsOfDirectory(atPath: tmp) == [])
  }
}
