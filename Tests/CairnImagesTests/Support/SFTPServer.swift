import CairnDocument
import CairnGit
import CairnImages
import CairnStore
import CairnTransport
import Foundation
import SystemPackage
import TestSupport
import Testing

/// An sshd on loopback that offers sftp, with a directory for images.
final class SFTPServer: ImageServer {
  let box: Sandbox
  let ssh: SSHServer
  private let files: DirectoryServer

  /// - Parameter sftp: The sftp program; nil to offer no sftp.
  init(sftp: String? = "internal-sftp") throws {
    box = try Sandbox(user: "Ann")
    ssh = try SSHServer(box, sftp: sftp)
    files = try DirectoryServer()
  }

  var store: BlobStore { files.store }

  var directory: FilePath { store.directory }

  func context() throws -> TransportContext { TransportContext(try box.settings(), git: nil) }

  /// Returns the remote at another port or with a changed context.
  func remote(
    port: UInt16? = nil, _ change: (inout TransportContext) -> Void
  ) throws -> SFTPImages {
    var context = try context()
    change(&context)
    let address = try SSHAddress(
      sftp: "sftp://\(NSUserName())@127.0.0.1:\(port ?? ssh.port)\(directory)")
    return try SFTPImages(address, context)
  }

  func remote() throws -> any ImageRemote { try remote { _ in } }

  func bytes(of id: PhotoID) throws -> [UInt8]? { try files.bytes(of: id) }

  func put(_ bytes: [UInt8]?, as id: PhotoID) throws { try files.put(bytes, as: id) }
}

extension TransportContext {
  /// Replaces the command that runs ssh.
  mutating func callSSH(_ command: String) {
    var settings = GitSettings()
    settings.entries = [("core.sshcommand", command)]
    ssh = SSHCommand(settings)
  }

  /// Shortens the timeouts for a test. On a busy machine a server may take a second to respond.
  mutating func beImpatient(seconds: Int = 3) {
    timeout.first = seconds
    timeout.between = seconds
  }
}

/// Returns the files of a remote's directory that are not whole images under their own names.
func wrongObjects(in store: BlobStore) throws -> [String] {
  let objects = store.directory.appending("objects").string
  guard let names = FileManager.default.enumerator(atPath: objects) else { return [] }
  return try names.compactMap { $0 as? String }.filter { name in
    var isDirectory: ObjCBool = false
    let path = objects + "/" + name
    _ = FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
    if isDirectory.boolValue { return false }
    let bytes = Array(try Data(contentsOf: URL(filePath: path)))
    return pointer(to: bytes).id.description != name.split(separator: "/").last.map(String.init)
  }
}
