internal import CairnBase
internal import CairnDocument
internal import CairnSync

extension CairnError {
  init(sync error: SyncError) {
    switch error {
    case .noIdentity:
      self.init(
        .noIdentity,
        "cairn records your name and email with each label and commit, but they are not both set.",
        hint: "Run `cairn config set user.name \"Your Name\" --global` and "
          + "`cairn config set user.email you@example.org --global`.")
    case .detachedHead(let branch):
      self.init(
        .unfinished, "No branch is checked out (HEAD is detached).",
        hint: "Run `git switch \(branch.map(shellArgument) ?? "BRANCH")` first.")
    case .branchSwitched(let old, let new):
      func short(_ name: String) -> Substring { name.dropFirst("refs/heads/".count) }
      self.init(
        .unfinished,
        "The branch was switched from \(short(old)) to \(short(new)) in the meantime; nothing was "
          + "merged.",
        hint: "Run `git switch \(shellArgument(String(short(old))))`, then the same command again.")
    case .unfinished(let operation, let resolved):
      let documents = resolved.count == 1 ? resolved[0] : "\(resolved.count) documents"
      self.init(
        .unfinished,
        "\(operation.title) is in progress here"
          + (resolved.isEmpty ? "." : "; the conflict in \(documents) is merged."),
        hint: "\(operation.nextSteps) To abort it: `\(operation.abortCommand)`.")
    case .noRemote(let name?):
      self.init(
        .notFound, "There is no remote “\(name)”.",
        hint: "`cairn remote list` lists them.")
    case .noRemote(nil):
      self.init(
        .noRemote, "This dataset has no remote.",
        hint: "Add one: `cairn remote add origin /path/to/dataset.git --create`.")
    case .ambiguousRemote(let names, let branch):
      self.init(
        .ambiguous,
        "This dataset has several remotes, and none of them is called origin: "
          + names.joined(separator: ", ") + ".",
        hint: "Name one, or make it the branch's own: "
          + "`cairn config set \(shellArgument("branch.\(branch).remote")) \(names[0])`.")
    case .branchGone(let remote, let branch, let other, let exists):
      let (here, push) = (
        shellArgument(branch), "`git push \(shellArgument(remote)) \(shellArgument(branch))`"
      )
      self.init(
        .notFound,
        "The remote “\(remote)” no longer has the branch \(branch)"
          + (other.map { "; its default branch is \($0)." } ?? "."),
        hint: other.map(shellArgument).map { other in
          (exists
            ? "To continue there: `git switch \(other)`, then `git merge \(here)`."
            : "If it was renamed: `git branch -m \(here) \(other)`, then `cairn sync`.")
            + " To create it there again: \(push)."
        } ?? "To create it there again: \(push).")
    case .remoteExists(let name):
      self.init(
        .exists, "The remote “\(name)” already exists.",
        hint: "Run `cairn remote remove \(name)` first, or choose another name.")
    case .invalidRemoteName(let name):
      self.init(
        .invalidInput, "“\(name)” is not a valid remote name.", hint: "Use a name like `origin`.")
    case .unsupportedAddress(let address, let reason):
      self.init(
        .invalidInput, "The address “\(address)” cannot be used: \(reason).",
        hint: "Use a path, ssh://you@host/path, you@host:path or https://host/path.")
    case .unsupportedImageURL(let address, let reason):
      self.init(
        .invalidInput, "The image URL “\(address)” cannot be used: \(reason).",
        hint: CairnError.imageURLHint)
    case .passwordInAddress(let address):
      self.init(
        .invalidInput,
        "The address contains a password, which anyone who can read .git/config would see.",
        hint: CairnError.passwordHint(address))
    case .passwordInImageURL(let address):
      self.init(
        .invalidInput,
        "The image URL contains a password, which everyone who has the dataset would see.",
        hint: CairnError.passwordHint(address))
    case .ownImageStore(let path):
      self.init(
        .invalidInput, "\(path) is the image store of this copy itself; nothing was dropped.",
        hint: "Name a remote with its own image store: `cairn images drop --remote NAME`.")
    case .noImageKey(let address, let key, let reason):
      self.init(
        .authentication,
        "The images at \(address) are encrypted, and their key is not here: \(reason).",
        hint: "Get the key file of \(key.prefix(12))… from a teammate, then run "
          + "`cairn remote images NAME --key-file FILE`.")
    case .encryptionChanged(let name, let url):
      let remote = shellArgument(name)
      self.init(
        .untrusted,
        "This copy encrypts the images of “\(name)”, but the dataset now stores them "
          + (url.map { "at \($0)" } ?? "in the remote itself")
          + ", unencrypted or with another key; nothing was sent.",
        hint:
          "`git log -p .lfsconfig` shows who changed it. To encrypt them again: `cairn remote images "
          + "\(remote) URL --key-file FILE`; to accept the change: `cairn remote images "
          + "\(remote) \(shellArgument(url ?? "default"))`.")
    case .unencryptedAddress(let address, let name):
      self.init(
        .untrusted,
        "This copy encrypts the images of “\(name)”, but \(address) is not the address of a remote, "
          + "so they would be stored unencrypted there; nothing was sent.",
        hint: "Push to a remote, such as `git push \(shellArgument(name))`, or add one for that "
          + "address: `cairn remote add NAME URL`.")
    case .invalidRate(let key, let text):
      self.init(
        .invalidInput, "Invalid \(key) “\(text)”: expected a rate of at least 16K.",
        hint: "Use bytes per second with K, M or G: `cairn config set \(key) 2M`.")
    case .notEncrypted(let name):
      self.init(
        .invalidInput, "The images of the remote “\(name)” are not encrypted.",
        hint:
          "Give an image URL to encrypt them: `cairn remote images \(name) URL --key-file FILE`.")
    case .invalidKeyFile(let path, let reason):
      self.init(
        .invalidInput, "The key file \(path) cannot be used: \(reason).",
        hint:
          "Choose a file outside of the dataset; a file that does not exist is created with a new "
          + "key: `cairn remote images NAME URL --key-file FILE`.")
    case .invalidImageURLs(let line):
      self.init(
        .invalidInput, ".lfsconfig, line \(line): not valid in a git configuration file.",
        hint: "Fix it and commit it with git, or set it again: `cairn remote images NAME URL`.")
    case .notCreatable(let address):
      self.init(
        .invalidInput, "cairn cannot create a repository at \(address).",
        hint: "Create it there with `git init --bare`, then add it without --create.")
    case .unreachable(let address, let reason):
      self.init(
        .unreachable, "The remote \(address) cannot be reached: \(reason).",
        hint: "Is the disk mounted? `cairn remote list` shows the address.")
    case .imageStoreUnreachable(let address, let reason):
      self.init(
        .unreachable, "The image store \(address) cannot be reached: \(reason).",
        hint: "Mount the disk or create the directory, then try again.")
    case .emptyRemote(let address):
      self.init(
        .notFound, "The repository at \(address) is empty.",
        hint: "Push a dataset there first: `cairn push`.")
    case .noDefaultBranch(let address, let branches):
      self.init(
        .notFound,
        "The repository at \(address) has no default branch. Its branches: "
          + "\(branches.joined(separator: ", ")).",
        hint: "Name one: `git clone --branch \(shellArgument(branches[0])) "
          + "\(shellArgument(address))`.")
    case .nothingCommitted:
      self.init(
        .notFound, "Nothing has been committed in this dataset yet.",
        hint: "Commit first: `cairn commit`.")
    case .remoteNotADataset(let address):
      self.init(
        .notADataset, "The repository at \(address) is not a cairn dataset (it has no cairn.json).",
        hint: "Check the address: `cairn remote list`.")
    case .invalidRemoteManifest(let address, let error) where error.kind == .newerFormat:
      self.init(
        .newerFormat,
        "The dataset at \(address) needs a later version of cairn (\(error.message)).",
        hint: "Install the latest cairn.")
    case .invalidRemoteManifest(let address, let error):
      self.init(
        .invalidDocument, "The manifest of the dataset at \(address) is invalid: \(error).",
        hint: "Restore its cairn.json in a clone made with git, commit it and push.")
    case .notFastForward(let remote):
      self.init(
        .notFastForward, "The remote “\(remote)” has commits that are not here.",
        hint: "Run `cairn sync`, or `cairn pull` and then `cairn push` again.")
    case .busy(let remote, let reason, let messages),
      .refused(let remote, let reason, let messages):
      self.init(
        .refused,
        "The remote “\(remote)” refused the push (\(reason))"
          + (messages.isEmpty ? "." : ": " + messages.joined(separator: " / ")),
        hint: "The remote is unchanged and nothing was lost. Ask its administrator, or push to "
          + "another remote.")
    case .refusedPath(let path, let remote, let messages):
      self.init(
        .refused,
        "The remote “\(remote)” refused the push: commit \(path.commit) by \(path.author) contains "
          + "\(path.path), a path that git refuses, and the remote checks the whole history "
          + "(\(messages.joined(separator: " / "))).",
        hint: "Nothing was lost. Its administrator can add the object named in its message to the "
          + "file of git's setting receive.fsck.skipList; then push again.")
    case .refusedPathAtRemote(let path, let remote):
      self.init(
        .refused,
        "Commit \(path.commit) by \(path.author) on “\(remote)” contains \(path.path), a path that "
          + "git refuses. Nothing was merged, because git's settings ask for a check of what is fetched.",
        hint: "Have the commit removed there. To merge everything except that path, run "
          + "`git config fetch.fsckObjects false` first.")
    case .unrelated(let remote):
      self.init(
        .unrelated, "This dataset and the one at “\(remote)” have unrelated histories.",
        hint: "To merge them anyway: `cairn pull --allow-unrelated-histories`.")
    case .missingImage(let id):
      self.init(
        .missingImage, "The image \(id.short)… is neither on this disk nor on the remote.",
        hint: "Run `cairn images push` in a copy that has it, then push again here.")
    case .destinationExists(let path):
      self.init(
        .exists, "\(path) already exists and is not empty.", hint: "Choose another directory.")
    case .staged(let paths):
      let more = paths.count > 1 ? " and \(paths.count - 1) more" : ""
      self.init(
        .unfinished, "git has staged changes that are not committed: \(paths[0])\(more).",
        hint: "Run `cairn commit`; for your own files, `git commit`.")
    case .checkedOutElsewhere(let path, let remedy):
      self.init(
        .notFastForward, "The branch is checked out in \(path), which cairn cannot update.",
        hint: remedy.map { "Run `\($0)`, then push again." }
          ?? "Push to a bare repository instead.")
    case .raced(let remote, let attempts):
      self.init(
        .notFastForward, "Others pushed to “\(remote)” first, \(attempts) times in a row.",
        hint: "Nothing is lost; run `cairn sync` again.")
    }
  }
}

extension CairnError {
  /// The hint for an address that contains a password; with the address without it.
  private static func passwordHint(_ address: String) -> String {
    "Leave out the password: \(address) (git's credential helper or a prompt provides it)."
  }
}

extension InterruptedGitOperation {
  /// “A git rebase of main”.
  public var title: String { "A git \(kind.rawValue)" + (branch.map { " of \($0)" } ?? "") }

  /// “Next: `cairn commit`, then `git rebase --continue`.”
  public var nextSteps: String {
    if kind == .bisect { return "Next: `git bisect good` or `git bisect bad`." }
    let edit = files.isEmpty ? "" : "Resolve the conflict in \(files.joined(separator: ", ")). "
    return "\(edit)Next: " + nextCommands.map { "`\($0)`" }.joined(separator: ", then ") + "."
  }
}
