import CairnDocument
import CairnGit
import CairnImages
import CairnStore
import CairnTransport
import Foundation
import SystemPackage
import TestSupport
import Testing

/// An image store on a machine with `git-lfs-transfer`. Instead of ssh, a script runs the command here.
final class LFSTransferServer: ImageServer {
  let box: Sandbox
  private let files: DirectoryServer
  /// Contains a space, so that it has to be quoted.
  private static let name = "the walk.git"

  /// - Parameters:
  ///   - fault: What the program does wrong, as `lfs_transfer.py` names it.
  ///   - refusal: A script that runs instead of other programs; nil for a shell.
  ///   - cut: Commands of bash that run before the program, such as to cut its output.
  init(fault: String? = nil, refusal: String? = nil, cut: String = "") throws {
    box = try Sandbox(user: "Ann")
    try FileManager.default.createDirectory(
      atPath: box.path(LFSTransferServer.name).string, withIntermediateDirectories: true)
    files = DirectoryServer(at: box.path(LFSTransferServer.name).appending("lfs"))
    try LFSTransfer.install(in: box, "--tokens" + (fault.map { " --fault \($0)" } ?? ""))
    let restriction = refusal.map { "case $command in git-lfs-transfer*) ;; *) \($0) ;; esac" }
    try box.write(
      """
      #!/bin/bash
      for command; do :; done
      \(restriction ?? "")
      [ -e '\(box.root)/whole' ] || { \(cut.isEmpty ? ":" : cut); }
      PATH='\(box.root)/programs':$PATH exec sh -c "$command"

      """, to: "ssh", isProgram: true)
  }

  var store: BlobStore { files.store }

  /// - Parameter name: A repository; nil for the one that has the images.
  func address(_ name: String? = nil) throws -> SSHAddress {
    let path = box.path(name ?? LFSTransferServer.name).string
    return try SSHAddress(
      sftp: "sftp://ann@h\(path.replacingOccurrences(of: " ", with: "%20"))")
  }

  /// - Parameter setting: The value of `lfs.sshTransfer`.
  func context(_ setting: String? = nil) -> TransportContext {
    var settings = GitSettings()
    if let setting { settings.entries.append(("lfs.sshtransfer", setting)) }
    var context = TransportContext(settings, git: nil)
    context.callSSH(box.path("ssh").string)
    return context
  }

  /// Returns the remote; nil if the program cannot be used.
  func transfer(
    _ direction: ImageDirection = .upload, isRequired: Bool = false
  ) throws -> LFSTransferImages? {
    try LFSTransferImages(
      address(), direction, branch: "refs/heads/main", isRequired: isRequired, context(),
      environment: .machine)
  }

  /// Cuts no further connections.
  func stopCutting() throws { try box.write("", to: "whole") }

  func remote() throws -> any ImageRemote { try #require(try transfer()) }

  func bytes(of id: PhotoID) throws -> [UInt8]? { try files.bytes(of: id) }

  func put(_ bytes: [UInt8]?, as id: PhotoID) throws { try files.put(bytes, as: id) }
}
