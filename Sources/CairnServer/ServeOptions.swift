package import Cairn
package import SystemPackage

/// The options of `cairn serve`.
package struct ServeOptions: Sendable {
  /// The dataset's directory, or one below it.
  package var directory: FilePath
  /// The `cairn` program, for git to run.
  package var command: FilePath?
  /// 0 for any free port.
  package var port = 0
  /// Whether any free port will do if the port is taken.
  package var allowsOtherPort = false
  /// Whether other computers may connect; otherwise only this one.
  package var isOnNetwork = false
  /// Whether nothing can be changed.
  package var isReadOnly = false
  /// A raster MBTiles file for close-ups of the map.
  package var map: FilePath?
  /// Serves the files of the page from this directory instead of the built-in ones.
  package var page: FilePath?
  /// The people who get a link of their own.
  package var invited: [Author] = []
  /// The names under which other computers reach this one, for the check of the Host header.
  package var hostNames: [String] = []
  /// The version of cairn, for pages that report it.
  package var version = ""
  package var encryption = Encryption.none
  /// Maximum number of connections; more wait until one ends.
  package var connectionLimit = 256
  package var environment: Environment

  /// How connections are encrypted.
  package enum Encryption: Equatable, Sendable {
    case none
    /// With a certificate that no authority vouches for; people compare its fingerprint.
    case selfSigned
    /// With the user's certificate and key, PEM files.
    case certificate(FilePath, key: FilePath)
  }

  /// - Parameter onMessage: Called with a message for people before an operation that takes a while.
  package init(directory: FilePath, onMessage: @escaping @Sendable (String) -> Void) {
    var environment = Environment.machine
    environment.onMessage = onMessage
    self.init(directory: directory, environment: environment)
  }

  package init(directory: FilePath, environment: Environment) {
    (self.directory, self.environment) = (directory, environment)
  }
}
