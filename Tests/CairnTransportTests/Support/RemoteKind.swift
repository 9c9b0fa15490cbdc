import CairnFiles
import CairnGit
import CairnStore
import CairnTransport
import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import CairnSync

/// The kinds of remotes that one suite tests.
enum RemoteKind: String, CaseIterable, CustomTestStringConvertible {
  case directory, ssh, https

  static let available = allCases.filter(\.isAvailable)
  static let servers = available.filter { $0 != .directory }

  private var isAvailable: Bool {
    switch self {
    case .directory: true
    case .ssh: SSHServer.isInstalled
    case .https: WebServer.isInstalled
    }
  }

  var testDescription: String { rawValue }
}

/// A test directory with a bare repository and a server for it.
final class Served {
  let box: Sandbox
  let kind: RemoteKind
  /// Contains a space, which addresses, shells and URLs treat differently.
  let name: String
  let repository: Repository
  let ssh: SSHServer?
  let web: WebServer?

  /// The Git LFS server that belongs to it.
  let lfs: Giftless?

  /// - Parameter hasLFS: Whether a Git LFS server belongs to it.
  init(_ kind: RemoteKind, name: String = "the remote.git", hasLFS: Bool = false) throws {
    (box, self.kind, self.name) = (try Sandbox(user: "Ann"), kind, name)
    lfs = hasLFS && kind != .directory ? try Giftless(box.root.appending("objects")) : nil
    ssh = kind == .ssh ? try SSHServer(box, sftp: "internal-sftp") : nil
    web = kind == .https ? try WebServer(box, lfs: lfs) : nil
    if kind == .ssh, let lfs {
      try box.write(
        "#!/bin/sh\necho '{\"href\": \"\(lfs.url(name))\", \"expires_in\": 600}'\n",
        to: "programs/git-lfs-authenticate", isProgram: true)
    }
    repository = try box.newRepository(name, bare: true)
    try box.git("config", "http.receivepack", "true", in: name)
  }

  var address: String { web.map { $0.url(name, as: $0.login) } ?? publicAddress }

  /// The address without a password.
  var publicAddress: String {
    switch kind {
    case .directory: box.root.appending(name).string
    case .ssh: ssh!.url(name)
    case .https: web!.url(name)
    }
  }

  /// Creates a dataset `a`, pushes it, and clones it to `b`.
  func addDevices() throws {
    try web?.addHelper()
    try box.cairn("init", "a")
    try box.cairn("remote", "add", "origin", publicAddress, in: "a")
    try box.cairn("sync", in: "a")
    try box.cairn("clone", publicAddress, "b")
  }

  /// Adds a hook to the repository.
  func addHook(_ name: String, _ script: String) throws {
    try box.write(
      "#!/bin/sh\n" + script + "\n", to: "\(self.name)/hooks/\(name)", isProgram: true)
  }

  /// Whether a process of the server is working in the repository; false without `/proc`.
  var isAtWork: Bool {
    let repository = box.root.appending(name).string
    let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return processes.contains { process in
      let directory = try? FileManager.default.destinationOfSymbolicLink(
        atPath: "/proc/\(process)/cwd")
      return directory?.hasPrefix(repository) == true
    }
  }

  func remote() throws -> any GitRemote {
    try Remote(
      address, settings: box.settings(), relativeTo: box.root,
      pusher: DirectoryRemote.PushIdentity(
        signature: Signature(name: "Ann", email: "ann@example.org", time: 1, offset: 0),
        root: box.root),
      environment: .machine
    ).git
  }
}
