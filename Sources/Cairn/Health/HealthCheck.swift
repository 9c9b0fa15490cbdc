internal import CairnBase
internal import CairnFiles
internal import CairnGit
internal import CairnIndex
internal import CairnStore
internal import CairnSync
internal import CairnTransport
internal import SystemPackage

/// The checks of ``HealthReport``, one after the other.
struct HealthCheck {
  private(set) var report = HealthReport()
  private let command: FilePath?
  private let environment: Environment

  /// The time for a check that may take long, in milliseconds.
  private static let timeLimit: Int64 = 10_000
  /// A lock file of git is held for a moment only; an older one was left behind. In milliseconds.
  private static let lockAge: Int64 = 60_000
  /// The free bytes below which a disk is a problem, or soon may be one.
  private static let (fullDisk, lowDisk): (Int64, Int64) = (100_000_000, 1_000_000_000)

  init(command: FilePath?, onProgress: @escaping @Sendable (OperationProgress) -> Void) {
    self.command = command
    environment = .machine(nil, { _ in }, onProgress)
  }

  mutating func run(_ path: FilePath, contactsRemotes: Bool) {
    add(.program, .good, "cairn \(CairnVersion.text)")
    var dataset: Dataset?
    var failure: CairnError?
    do throws(CairnError) {
      dataset = try Dataset(at: path, command: command, environment: environment)
      // A partial clone must not fetch what is missing only to be checked.
      dataset?.replica.repository.completion = nil
    } catch {
      failure = error
    }
    checkIdentity(dataset)
    checkPrograms()
    guard let dataset else {
      if let failure {
        add(.dataset, failure, failure.kind == .notADataset ? .warning : .problem)
      }
      return
    }
    checkCopy(dataset)
    check(.index, dataset) { try $0.checkIndex($1) }
    check(.images, dataset) { try $0.checkImages($1) }
    check(.disk, dataset) { try $0.checkDisk($1) }
    checkRemotes(dataset, contacts: contactsRemotes)
  }

  private mutating func add(
    _ check: HealthReport.Check, _ level: HealthReport.Level, _ message: String,
    fix: String? = nil, hint: String? = nil
  ) {
    report.findings.append(
      HealthReport.Finding(check: check, level: level, message: message, fix: fix, hint: hint))
  }

  /// Adds an error as a finding, with the first command that its hint names.
  private mutating func add(
    _ check: HealthReport.Check, _ error: CairnError, _ level: HealthReport.Level = .problem,
    about name: String? = nil
  ) {
    let message = error.message.hasSuffix(".") ? String(error.message.dropLast()) : error.message
    let parts = error.hint?.split(separator: "`", omittingEmptySubsequences: false) ?? []
    let command = parts.enumerated().first { index, part in
      index % 2 == 1 && ["cairn ", "git ", "sudo "].contains { part.hasPrefix($0) }
    }?.element
    add(
      check, level, (name.map { "\($0): " } ?? "") + message, fix: command.map(String.init),
      hint: error.hint)
  }

  /// Runs a check whose own failure is a problem of what it checks.
  private mutating func check(
    _ check: HealthReport.Check, _ dataset: Dataset,
    _ body: (inout HealthCheck, Dataset) throws -> Void
  ) {
    do { try body(&self, dataset) } catch { add(check, CairnError(error)) }
  }

  // MARK: The computer

  private mutating func checkIdentity(_ dataset: Dataset?) {
    do {
      if let dataset {
        let author = try translating { try dataset.replica.author() }
        return add(.identity, .good, "\(author.name) <\(author.email)>")
      }
      let user = GitConfiguration.user
      guard let name = try user.value(of: "user.name"), let email = try user.value(of: "user.email")
      else { throw CairnError(SyncError.noIdentity) }
      add(.identity, .good, "\(name) <\(email)>")
    } catch {
      let error = CairnError(error)
      guard error.kind == .noIdentity else { return add(.identity, error) }
      add(
        .identity, .problem, "git's configuration has no name or no email address for you",
        fix: "cairn config set user.name \"Your Name\" --global && "
          + "cairn config set user.email you@example.org --global")
    }
  }

  private mutating func checkPrograms() {
    if let git = environment.findProgram("git") {
      add(.git, .good, git.string)
    } else {
      add(
        .git, .warning,
        "git is not installed: credential helpers, shallow and partial clones need it",
        fix: installation(of: "git"))
    }
    if let program = environment.findProgram("git-lfs") {
      add(.gitLFS, .good, program.string)
    } else {
      add(.gitLFS, .good, "git-lfs is not installed: git filters images with cairn")
    }
  }

  /// Returns the command that installs a program here; nil if no package manager is known.
  private func installation(of program: String) -> String? {
    [
      ("apt-get", "sudo apt-get install"), ("dnf", "sudo dnf install"),
      ("pacman", "sudo pacman -S"), ("zypper", "sudo zypper install"), ("apk", "sudo apk add"),
      ("brew", "brew install"),
    ].first { environment.findProgram($0.0) != nil }.map { "\($0.1) \(program)" }
  }

  // MARK: The copy

  private mutating func checkCopy(_ dataset: Dataset) {
    check(.dataset, dataset) { $0.add(.dataset, .good, "“\(try $1.name())” in \($1.root)") }
    check(.branch, dataset) { try $0.checkBranch($1) }
    check(.configuration, dataset) { check, dataset in
      if try dataset.replica.isConfigured() {
        check.add(
          .configuration, .good, "git merges documents and filters images with cairn's rules")
      } else {
        check.add(
          .configuration, .warning,
          "git is not configured here to merge documents and filter images with this program",
          fix: "cairn commit")
      }
    }
    check(.attributes, dataset) { check, dataset in
      switch try dataset.replica.attributesState() {
      case .complete: check.add(.attributes, .good, ".gitattributes is complete")
      case .removed:
        check.add(
          .attributes, .problem, ".gitattributes lacks lines that git needs in a dataset",
          fix: "cairn commit --all")
      case .removedHere:
        check.add(
          .attributes, .problem, ".gitattributes lacks lines here that git needs in a dataset",
          fix: "git checkout -- :/.gitattributes")
      }
    }
    check(.locks, dataset) { try $0.checkLocks($1) }
    check(.clone, dataset) { try $0.checkClone($1) }
  }

  private mutating func checkBranch(_ dataset: Dataset) throws {
    if let operation = try dataset.replica.interruptedOperation() {
      let next = (operation.nextCommands.isEmpty ? nil : operation.nextCommands)
        .map { $0.joined(separator: " && ") }
      return add(
        .branch, .problem,
        "\(operation.title) is in progress; `\(operation.abortCommand)` aborts it",
        fix: next)
    }
    guard let branch = try dataset.replica.repository.headBranch() else {
      let previous = try dataset.replica.repository.previousBranch()
      return add(
        .branch, .problem, "no branch is checked out (HEAD is detached)",
        fix: "git switch \(previous.map(shellArgument) ?? "BRANCH")")
    }
    let name = branch.dropFirst("refs/heads/".count)
    let isNew = try dataset.replica.repository.head() == nil
    add(.branch, .good, "\(name)" + (isNew ? ", without a commit" : ""))
  }

  private mutating func checkLocks(_ dataset: Dataset) throws {
    let now = environment.now()
    let old = try dataset.replica.lockFiles().filter { now - $0.created > HealthCheck.lockAge }
    for lock in old {
      let minutes = (now - lock.created) / 60_000
      let age =
        minutes < 120
        ? "\(minutes) minutes" : minutes < 2880 ? "\(minutes / 60) hours" : "\(minutes / 1440) days"
      add(
        .locks, .problem,
        "git's lock file \(lock.path) is \(age) old; remove it if no git process is running",
        fix: "rm \(shellArgument(lock.path.string))")
    }
    if old.isEmpty { add(.locks, .good, "no lock files were left") }
  }

  private mutating func checkClone(_ dataset: Dataset) throws {
    let repository = dataset.replica.repository
    let promisor = try repository.promisor()
    if !repository.isShallow, promisor == nil { return add(.clone, .good, "complete") }
    if promisor == nil, !repository.historyEnds.isEmpty {
      return add(
        .clone, .warning, "a clone of a shallow clone: the remote lacked part of the history",
        fix: "git fetch --unshallow")
    }
    let lacksHistory = repository.isShallow && repository.historyEnds.isEmpty
    add(
      .clone, .warning,
      (lacksHistory
        ? "a shallow clone: it lacks the history" : "a partial clone: it lacks some files")
        + ", which cairn fetches with git when it is needed",
      fix: lacksHistory
        ? "git fetch --unshallow"
        : "git fetch --refetch --no-filter \(shellArgument(promisor ?? ""))")
  }

  private mutating func checkIndex(_ dataset: Dataset) throws {
    let path = dataset.directory.indexDatabase
    guard let status = try environment.files.status(path) else {
      return add(.index, .good, "not built yet; the first query builds it")
    }
    do {
      let index = try DatasetIndex(path: path.string)
      let (tree, overlay) = try index.read { (try $0.tree(), try $0.overlay().count) }
      let current = try dataset.replica.headTreeText()
      let pending = try dataset.directory.journaledPaths().count { $0.kind != nil }
      let size = Double(status.size) / 1_000_000
      add(
        .index, .good,
        (tree == current && overlay == pending
          ? "up to date" : "older than the documents; the next query updates it")
          + ", \((size * 10).rounded() / 10) MB")
    } catch let error as IndexError {
      add(.index, .warning, "\(error); the next query rebuilds it", fix: "cairn find --count")
    }
  }

  private mutating func checkImages(_ dataset: Dataset) throws {
    let replica = dataset.replica
    environment.report("counting images", 0, of: 1)
    let end = environment.now() + HealthCheck.timeLimit
    guard let (missing, total) = try replica.missingImages(isOver: { environment.now() > end })
    else {
      return add(
        .images, .warning, "too many images to count here", fix: "cairn images status")
    }
    if missing == 0 { return add(.images, .good, "\(total) committed, none is missing") }
    let text = "\(missing) of \(total) images are not on this disk"
    if replica.fetchesImages {
      add(.images, .warning, text, fix: "cairn images fetch")
    } else {
      add(.images, .good, "\(text), as this copy was cloned without images")
    }
  }

  private mutating func checkDisk(_ dataset: Dataset) throws {
    let free = try environment.files.freeBytes(dataset.root)
    let text = "\(free / 1_000_000) MB free"
    if free >= HealthCheck.lowDisk { return add(.disk, .good, text) }
    let hasRemote = try !dataset.remotes().isEmpty
    add(
      .disk, free < HealthCheck.fullDisk ? .problem : .warning, "only \(text)",
      fix: hasRemote ? "cairn images drop --all --dry-run" : "cairn gc --dry-run")
  }

  // MARK: Remotes

  private mutating func checkRemotes(_ dataset: Dataset, contacts: Bool) {
    let remotes: [RemoteRecord]
    do throws(CairnError) {
      remotes = try dataset.remotes()
    } catch {
      return add(.remote, error)
    }
    if remotes.isEmpty {
      return add(
        .remote, .warning, "there is none: this is the only copy that cairn knows of",
        fix: "cairn remote add origin /path/to/dataset.git --create")
    }
    for (index, remote) in remotes.enumerated() {
      guard contacts else {
        add(.remote, .good, "\(remote.name): not contacted (\(remote.address))")
        continue
      }
      environment.report("contacting \(remote.name)", index, of: remotes.count)
      contact(remote, of: dataset)
    }
    environment.report("contacting remotes", remotes.count, of: remotes.count)
  }

  private mutating func contact(_ remote: RemoteRecord, of dataset: Dataset) {
    let (now, limit) = (environment.now, HealthCheck.timeLimit)
    let end = now() + limit
    do {
      let hasBranch = try dataset.replica.contact(remote.name) { now() > end }
      let text = "\(remote.name): reached (\(remote.address))"
      if hasBranch {
        add(.remote, .good, text)
      } else {
        add(
          .remote, .warning, "\(text), without this branch",
          fix: "cairn push \(shellArgument(remote.name))")
      }
    } catch {
      if now() > end {
        return add(
          .remote, .problem,
          "\(remote.name): no answer within \(limit / 1000) seconds (\(remote.address))",
          fix: "cairn remote list")
      }
      add(.remote, CairnError(error), about: remote.name)
    }
  }
}
