internal import CairnGit
package import CairnStore
package import CairnTransport

extension LFSEndpoint {
  /// Returns the image store of a repository that is reached with ssh: the Git LFS server that
  /// `git-lfs-authenticate` names; otherwise the files beside a bare repository, over sftp, or what
  /// `git-lfs-transfer` transfers. The setting `lfs.sshTransfer` has the same values as in git-lfs.
  ///
  /// - Throws: ``TransportError``.
  package func images(
    over ssh: SSHAddress, _ direction: ImageDirection, branch: String,
    _ context: TransportContext, environment: Environment
  ) throws -> any ImageRemote {
    let setting = context.settings["lfs.sshTransfer"]?.lowercased()
    func transfer(isRequired: Bool = false) throws -> (any ImageRemote)? {
      if setting == "never" { return nil }
      return try LFSTransferImages(
        ssh, direction, branch: branch, isRequired: isRequired, context, environment: environment)
    }
    if setting == "always", let images = try transfer(isRequired: true) { return images }
    let answer = try LFSAuthenticator.authenticate(
      ssh, web, direction, context, now: environment.now())
    switch answer {
    case .token(let token):
      return LFSImages(
        self, token, for: direction, branch: branch, context, environment: environment)
    case .noProgram(let hasShell):
      // A machine with only git and sshd keeps images beside a bare repository, as git-lfs does. Where
      // there is a shell, sftp reaches the same files as git-lfs-transfer, and nearly always works.
      let mayHaveFiles = ssh.path.hasSuffix(".git")
      if !(hasShell && mayHaveFiles), let images = try transfer() { return images }
      guard mayHaveFiles else {
        throw TransportError(
          .noImageStore, ssh.text, "it has no git-lfs-authenticate, and no git-lfs-transfer")
      }
      return try SFTPImages(ssh, root: ssh.path + "/lfs", isGuess: true, context)
    }
  }
}
