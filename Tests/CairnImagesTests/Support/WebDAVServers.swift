import CairnDocument
import CairnGit
import CairnImages
import CairnProcess
import CairnStore
import CairnTransport
import Foundation
import SystemPackage
import TestSupport
import Testing

/// A WebDAV server, whose files are in a directory on this disk.
protocol WebDAVServer: ImageServer {
  var files: DirectoryServer { get }
  var port: UInt16 { get }
}

extension WebDAVServer {
  var user: String { "ann" }
  var password: String { "the password of ann" }

  /// Returns the remote below the path `/shelf of ann/images`, which does not exist at first.
  func remote() throws -> any ImageRemote { try remote(port: port) }

  func remote(
    port: UInt16, _ configure: (inout TransportContext) -> Void = { _ in }
  ) throws -> WebDAVImages {
    var context = TransportContext(GitSettings(), git: nil)
    context.now = { Int64(Date().timeIntervalSince1970 * 1000) }
    configure(&context)
    return WebDAVImages(try #require(try address(port: port)), context)
  }

  func address(port: UInt16) throws -> WebDAVAddress? {
    let login = "\(user):\(password.replacing(" ", with: "%20"))"
    return try WebDAVAddress("dav://\(login)@127.0.0.1:\(port)/shelf%20of%20ann/images/")
  }

  func bytes(of id: PhotoID) throws -> [UInt8]? { try files.bytes(of: id) }
  func put(_ bytes: [UInt8]?, as id: PhotoID) throws { try files.put(bytes, as: id) }
}

/// The WebDAV server of rclone.
final class RcloneWebDAVServer: WebDAVServer {
  let directory = TemporaryDirectory()
  let files: DirectoryServer
  private let rclone: Rclone

  var port: UInt16 { rclone.port }

  init() throws {
    try FileManager.default.createDirectory(
      atPath: directory.path("shelf of ann").string, withIntermediateDirectories: true)
    files = DirectoryServer(at: directory.path("shelf of ann/images"))
    rclone = try Rclone(directory.root, login: ("ann", "the password of ann"))
  }
}

enum Apache {
  static let program = "/usr/sbin/apache2"
  static let isInstalled =
    Programs.isProgram(program)
    && FileManager.default.fileExists(atPath: "/usr/lib/apache2/modules/mod_dav_fs.so")
  static let missing: Comment = "apache2 is missing: `make setup` installs apache2-bin"
}

/// Apache with mod_dav.
final class ApacheServer: WebDAVServer {
  let directory = TemporaryDirectory()
  let files: DirectoryServer
  let port: UInt16
  private let process: ChildProcess

  init() throws {
    let root = directory.root
    files = DirectoryServer(at: directory.path("files/shelf of ann/images"))
    // {SHA} is the Base64 of the SHA-1 of the password.
    try Data("ann:{SHA}\(ApacheServer.passwordHash)\n".utf8)
      .write(to: URL(filePath: root.appending("users").string))
    let modules = [
      "mpm_event", "authn_core", "authn_file", "authz_core", "authz_user", "auth_basic", "dav",
      "dav_fs",
    ].map { "LoadModule \($0)_module /usr/lib/apache2/modules/mod_\($0).so" }
      .joined(separator: "\n")
    // Started as root, it serves as another user, who has to be able to write here.
    for name in ["files/shelf of ann", "locks"] {
      try FileManager.default.createDirectory(
        atPath: directory.path(name).string, withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o777])
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o777], ofItemAtPath: directory.path(name).string)
    }
    (port, process) = try startServer("apache2") { port in
      let configuration = """
        ServerRoot "\(root)"
        ServerName 127.0.0.1
        Listen 127.0.0.1:\(port)
        PidFile "\(root)/pid"
        ErrorLog "\(root)/log"
        DefaultRuntimeDir "\(root)"
        DocumentRoot "\(root)/files"
        DavLockDB "\(root)/locks/db"
        User nobody
        Group nogroup
        \(modules)
        <Directory "\(root)/files">
          Dav On
          AuthType Basic
          AuthName "files"
          AuthUserFile "\(root)/users"
          Require valid-user
        </Directory>
        """
      let file = root.appending("apache.conf").string
      try Data(configuration.utf8).write(to: URL(filePath: file))
      return try ChildProcess(Apache.program, ["-f", file, "-D", "FOREGROUND"])
    }
  }

  /// Apache, which serves as another user, can also write where a test has written.
  func put(_ bytes: [UInt8]?, as id: PhotoID) throws {
    try files.put(bytes, as: id)
    let top = directory.path("files").string
    for case let path as String in FileManager.default.enumerator(atPath: top) ?? .init() {
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o777], ofItemAtPath: "\(top)/\(path)")
    }
  }

  /// `printf 'the password of ann' | openssl dgst -sha1 -binary | base64`
  private static let passwordHash = "FM0QLAaXyUdawrOBrajVIBPVpu0="
}

/// A storage that rclone supports, in a directory on this disk.
final class RcloneStorage: ImageServer {
  let files: DirectoryServer
  private let program: FilePath
  private let directory = TemporaryDirectory()

  /// - Parameters:
  ///   - type: The type of the storage in rclone's configuration.
  ///   - variables: What the user's environment sets: `RCLONE_DRY_RUN=true`.
  init(type: String = "local", variables: [String] = []) throws {
    files = try DirectoryServer()
    // The program reads a configuration of its own.
    program = directory.path("rclone")
    try Data(
      """
      #!/bin/sh
      export RCLONE_CONFIG='\(directory.root)/rclone.conf' \(variables.joined(separator: " "))
      exec rclone "$@"
      """.utf8
    ).write(to: URL(filePath: program.string))
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o755], ofItemAtPath: program.string)
    try Data("[my box]\ntype = \(type)\n".utf8)
      .write(to: URL(filePath: directory.path("rclone.conf").string))
  }

  func remote() throws -> any ImageRemote { try remote(nil) }

  /// Kills the server that rclone runs for this storage.
  func killServer() throws {
    let arguments = "my box:\(files.store.directory)"
    let servers = try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { name in
      let line = FileManager.default.contents(atPath: "/proc/\(name)/cmdline") ?? Data()
      let words = String(decoding: line, as: UTF8.self).split(separator: "\0")
      return words.first == "rclone" && words.last == arguments[...] ? pid_t(name) : nil
    }
    let server = try #require(servers.first)
    kill(server, SIGKILL)
  }

  func remote(
    _ url: String? = nil, _ configure: (inout TransportContext) -> Void = { _ in }
  ) throws -> any ImageRemote {
    var context = TransportContext(GitSettings(), git: nil)
    configure(&context)
    let address = try RcloneAddress(url ?? "rclone:my box:\(files.store.directory)")
    return RcloneImages(try #require(address), program: program, context)
  }

  func bytes(of id: PhotoID) throws -> [UInt8]? { try files.bytes(of: id) }
  func put(_ bytes: [UInt8]?, as id: PhotoID) throws { try files.put(bytes, as: id) }
}
