internal import CairnDocument
internal import CairnHTTP
internal import CairnStore
package import CairnTransport
internal import Synchronization

/// An image store in a directory of a WebDAV server, such as Nextcloud, laid out like a repository's
/// `lfs`.
///
/// An image is uploaded to a temporary file, and moved to its name when it is complete: a server may
/// keep what it received of an interrupted upload. Source: RFC 4918.
package struct WebDAVImages: ImageRemote {
  private let session: WebDAVSession

  /// - Parameters:
  ///   - remote: The remote's name, which may have its own proxy.
  package init(_ address: WebDAVAddress, _ context: TransportContext, remote: String? = nil) {
    var settings = HTTPSettings(context, for: address.directory, remote: remote)
    settings.redirects = .none
    session = WebDAVSession(
      "\(address)", address.directory, HTTPAuthenticator(for: address.directory, context), settings,
      context)
  }

  init(_ session: WebDAVSession) { self.session = session }

  package var address: String { session.address }
  package var batchSize: Int { 1 }
  /// Nextcloud locks directories while it creates files in them.
  package var connections: Int { 4 }

  package func connect() throws -> any ImageConnection { WebDAVConnection(session) }
}

/// What the connections to a WebDAV server share.
final class WebDAVSession: Sendable {
  /// The address to show to people.
  let address: String
  let directory: WebAddress
  let authenticator: HTTPAuthenticator
  let settings: HTTPSettings
  let context: TransportContext
  /// Returns why the server failed, if it says so elsewhere.
  let reason: @Sendable () -> String?

  private struct State {
    /// The directories that exist, relative to the store.
    var directories: Set<String> = []
    var hasCleanedUp = false
  }

  private let state = Mutex(State())
  /// Held while a directory is created.
  private let creation = Mutex(())

  init(
    _ address: String, _ directory: WebAddress, _ authenticator: HTTPAuthenticator,
    _ settings: HTTPSettings, _ context: TransportContext,
    reason: @escaping @Sendable () -> String? = { nil }
  ) {
    (self.address, self.directory, self.authenticator) = (address, directory, authenticator)
    (self.settings, self.context, self.reason) = (settings, context, reason)
  }

  /// Returns the URL of a path in the store.
  func url(_ path: String) -> String { directory.base + (path.isEmpty ? "" : "/" + path) }

  /// Returns the directories of an image, outermost first.
  static func directories(of image: ImageObject) -> [String] {
    let id = image.id.description
    let (first, second) = (id.prefix(2), id.dropFirst(2).prefix(2))
    return ["objects", "objects/\(first)", "objects/\(first)/\(second)"]
  }

  static func path(of image: ImageObject) -> String {
    directories(of: image).last! + "/\(image.id)"
  }

  /// Creates a directory with `create`, unless it is known to exist.
  ///
  /// Connections take turns: if two create a directory at the same moment, rclone's server may lose
  /// what one of them then puts there.
  func makeDirectory(_ directory: String, _ create: () throws -> Void) rethrows {
    if isKnown(directory) { return }
    try creation.withLock { _ in
      if isKnown(directory) { return }
      try create()
      state.withLock { _ = $0.directories.insert(directory) }
    }
  }

  private func isKnown(_ directory: String) -> Bool {
    state.withLock { $0.directories.contains(directory) }
  }

  /// Discards what is known of directories, which somebody may have removed.
  func forgetDirectories() { state.withLock { $0.directories = [] } }

  /// Returns true on the first call only.
  func shouldCleanUp() -> Bool {
    state.withLock { state in
      defer { state.hasCleanedUp = true }
      return !state.hasCleanedUp
    }
  }
}
