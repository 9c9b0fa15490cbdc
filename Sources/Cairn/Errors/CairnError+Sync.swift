internal import CairnDocument
internal import CairnSync

extension CairnError {
  init(sync error: SyncError) {
    switch error {
    case .noIdentity:
      self.init(
        .noIdentity,
        "cairn records your name and email with each label and commit, and neither is set.",
        hint: "Run `git config --global user.name \"Your Name\"` and "
          + "`git config --global user.email you@example.org`.")
    case .detachedHead:
      self.init(
        .unfinished, "No branch is checked out (HEAD is detached).",
        hint: "Run `git switch main` first.")
    case .unfinished(let operation, let resolved):
      let documents = resolved.count == 1 ? resolved[0] : "\(resolved.count) documents"
      self.init(
        .unfinished,
        "\(operation.title) is in progress here"
          + (resolved.isEmpty ? "." : "; its conflict in \(documents) is merged."),
        hint: "\(operation.nextSteps) `\(operation.abortCommand)` gives it up.")
    case .noRemote(let name?):
      self.init(
        .noRemote, "There is no remote “\(name)”.",
        hint: "`cairn remote list` lists them.")
    case .noRemote(nil):
      self.init(
        .noRemote, "This dataset has no remote to exchange with.",
        hint: "Add one: `cairn remote add origin /path/to/dataset.git --create`.")
    case .remoteExists(let name):
      self.init(
        .exists, "There is a remote “\(name)” already.",
        hint: "Run `cairn remote remove \(name)` first, or choose another name.")
    case .invalidRemoteName(let name):
      self.init(.invalidInput, "“\(name)” cannot be the name of a remote.", hint: "Try `origin`.")
    case .unsupportedAddress(let address, let reason):
      self.init(
        .unreachable, "The address “\(address)” cannot be used: \(reason).",
        hint: "Use a path, ssh://you@host/path, you@host:path or https://host/path.")
    case .passwordInAddress(let address):
      self.init(
        .invalidInput,
        "The address holds a password, which everybody who reads .git/config would "
          + "see.",
        hint: "Leave it out: \(address) (git's credential helper or a prompt provides it).")
    case .imagesAreHere(let place):
      self.init(
        .invalidInput, "\(place) is where this copy itself has its images; nothing was dropped.",
        hint: "Name a remote with images of its own: `cairn images drop --remote NAME`.")
    case .invalidImagePlaces(let line):
      self.init(
        .invalidInput, ".lfsconfig, line \(line): this is not the form of git's configuration.",
        hint: "Fix it and commit it with git, or set it again: `cairn remote images NAME URL`.")
    case .notCreatable(let address):
      self.init(
        .invalidInput, "No repository can be made at \(address) from here.",
        hint: "Make it there (`git init --bare`), then add it without --create.")
    case .unreachable(let address, let reason):
      self.init(
        .unreachable, "The remote \(address) cannot be reached: \(reason).",
        hint: "Is the disk mounted? `cairn remote list` shows the address.")
    case .emptyRemote(let address):
      self.init(
        .notFound, "There is nothing in \(address) yet.",
        hint: "Push a dataset there first: `cairn push`.")
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
        .invalidDocument, "The manifest of the dataset at \(address) does not parse: \(error).",
        hint: "Restore its cairn.json in a clone made with git, commit it and push.")
    case .notFastForward(let remote):
      self.init(
        .notFastForward, "The remote “\(remote)” has commits that are not here.",
        hint: "Run `cairn sync`, or `cairn pull` and then `cairn push` again.")
    case .busy(let remote, let reason, let words), .refused(let remote, let reason, let words):
      self.init(
        .refused,
        "The remote “\(remote)” refused the push (\(reason))"
          + (words.isEmpty ? "." : ": " + words.joined(separator: " / ")),
        hint: "Nothing was lost and nothing moved there; ask whoever runs it, or push elsewhere.")
    case .unrelated(let remote):
      self.init(
        .unrelated, "This dataset and the one at “\(remote)” have unrelated histories.",
        hint: "To make one of the two: `cairn pull --allow-unrelated-histories`.")
    case .imageNowhere(let id):
      self.init(
        .missingImage, "The image \(id.short)… is neither here nor at the remote.",
        hint: "Run `cairn images push` in a copy that has it, then push again here.")
    case .destinationExists(let path):
      self.init(
        .exists, "\(path) exists already and is not empty.", hint: "Choose another directory.")
    case .staged(let paths):
      let more = paths.count > 1 ? " and \(paths.count - 1) more" : ""
      self.init(
        .unfinished, "git has changes staged here that are not committed: \(paths[0])\(more).",
        hint: "Run `cairn commit`; for files of your own, `git commit`.")
    case .checkedOutElsewhere(let address):
      self.init(
        .notFastForward, "\(address) has the branch checked out and is not a dataset.",
        hint: "Push to a bare repository instead.")
    case .raced(let remote, let attempts):
      self.init(
        .notFastForward, "Others pushed to “\(remote)” first, \(attempts) times in a row.",
        hint: "Nothing is lost; run `cairn sync` again.")
    }
  }
}

extension InterruptedGitOperation {
  /// “A git rebase of main”.
  public var title: String { "A git \(kind.rawValue)" + (branch.map { " of \($0)" } ?? "") }

  /// “Next: `cairn commit`, then `git rebase --continue`.”
  public var nextSteps: String {
    let edit = files.isEmpty ? "" : "Resolve the conflict in \(files.joined(separator: ", ")). "
    return "\(edit)Next: " + nextCommands.map { "`\($0)`" }.joined(separator: ", then ") + "."
  }
}
