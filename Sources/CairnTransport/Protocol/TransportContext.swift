package import CairnGit
package import SystemPackage

/// The settings and dependencies of a transport.
package struct TransportContext: Sendable {
  /// git's configuration, including the repository's if there is one.
  package var settings: GitSettings
  package var ssh: SSHCommand
  /// git itself, for its credential helpers; nil where it is not installed.
  package var git: GitProgram?
  /// The repository whose configuration credential helpers read; nil outside a repository.
  package var gitDirectory: FilePath?
  /// Whether programs may ask the user for a password, or to trust a host.
  package var mayPrompt = true
  package var credentialCache = CredentialCache()
  package var timeout = TransportTimeouts()
  /// The time, in milliseconds since 1970.
  package var now: @Sendable () -> Int64 = { 0 }
  /// Called periodically; returns true to stop.
  package var isCancelled: @Sendable () -> Bool = { false }

  package init(_ settings: GitSettings, git: GitProgram?, gitDirectory: FilePath? = nil) {
    (self.settings, self.git, self.gitDirectory) = (settings, git, gitDirectory)
    ssh = SSHCommand(settings)
  }
}
