internal import CairnProcess
internal import Foundation
package import SystemPackage
package import Testing

/// giftless, a Git LFS server, on loopback, running while this object lives.
package final class Giftless {
  private static let python = Python.program(having: "giftless")
  package static let isInstalled = python != nil
  package static let missing: Comment = "giftless is missing: `make setup` installs it"

  package let port: UInt16
  /// The directory of the objects: `<team>/<repository>/<oid>`.
  package let directory: FilePath
  private let process: ChildProcess

  package init(_ directory: FilePath) throws {
    self.directory = directory
    let python = try #require(Giftless.python, Giftless.missing)
    let configuration = """
      AUTH_PROVIDERS: ['giftless_user:anybody']
      LEGACY_ENDPOINTS: false
      MIDDLEWARE:
        - {class: 'werkzeug.middleware.proxy_fix:ProxyFix', kwargs: {x_host: 1, x_proto: 1}}
      PRE_AUTHORIZED_ACTION_PROVIDER:
        options: {private_key: 'a key of this test alone, long enough for HS256'}
      TRANSFER_ADAPTERS:
        basic:
          factory: 'giftless.transfer.basic_streaming:factory'
          options:
            storage_class: 'giftless.storage.local_storage:LocalStorage'
            storage_options: {path: '\(directory)'}
      """
    (port, process) = try startServer("giftless") { port in
      try ChildProcess(
        // The server's log is not read.
        "sh",
        [
          "-c", "exec \"$@\" >/dev/null 2>&1", "sh", python, "-m", "flask", "--app",
          "giftless.wsgi_entrypoint", "run", "-h", "127.0.0.1", "-p", "\(port)", "--with-threads",
        ],
        environment: [
          "GIFTLESS_CONFIG_STR": configuration,
          "PYTHONPATH": packageDirectory.appending(path: "Tests/Support/Programs").path,
        ])
    }
  }

  /// Returns the endpoint of a repository, such as `team/walk.git`.
  package func url(_ repository: String) -> String {
    "http://127.0.0.1:\(port)/\(repository)/info/lfs"
  }

  /// Returns the number of stored objects of a repository.
  package func count(_ repository: String) -> Int {
    let name = repository.hasSuffix(".git") ? String(repository.dropLast(4)) : repository
    let files = try? FileManager.default.contentsOfDirectory(
      atPath: directory.appending(name).string)
    return files?.count ?? 0
  }
}
