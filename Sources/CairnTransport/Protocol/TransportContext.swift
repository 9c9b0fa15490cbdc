public import CairnGit
public import SystemPackage

/// The settings and dependencies of a transport.
public struct TransportContext: Sendable {
  /// git's configuration, including the repository's if there is one.
  public var settings: GitSettings
  public var ssh: SSHCommand
  /// git itself, for its credential helpers; nil where it is not installed.
  public var git: GitProgram?
  /// The repository whose configuration credential helpers read; nil outside a repository.
  public var gitDirectory: FilePath?
  public var credentialCache = CredentialCache()
  public var timeout = TransportTimeouts()
  /// Called periodically; returns true to stop.
  public var isCancelled: @Sendable () -> Bool = { false }

  public init(_ settings: GitSettings, git: GitProgram?, gitDirectory: FilePath? = nil) {
    (self.settings, self.git, self.gitDirectory) = (settings, git, gitDirectory)
    ssh = SSHCommand(settings)
  }
}
