public import CairnGit
public import SystemPackage

/// What a transport takes from around it.
public struct TransportContext: Sendable {
  /// git's configuration, of the repository where there is one.
  public var settings: GitSettings
  public var ssh: SSHCommand
  /// git itself, for its credential helpers; nil where it is not installed.
  public var git: GitProgram?
  /// The repository whose configuration helpers read; nil outside of any.
  public var gitDirectory: FilePath?
  public var memory = CredentialMemory()
  public var patience = TransportPatience()
  /// Asked every now and then whether to stop.
  public var isCancelled: @Sendable () -> Bool = { false }

  public init(_ settings: GitSettings, git: GitProgram?, gitDirectory: FilePath? = nil) {
    (self.settings, self.git, self.gitDirectory) = (settings, git, gitDirectory)
    ssh = SSHCommand(settings)
  }
}
