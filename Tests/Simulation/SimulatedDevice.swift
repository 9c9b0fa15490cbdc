import CairnDocument
import CairnFiles
import CairnGit
import CairnStore
import CairnSync
import Foundation
import SystemPackage

/// One copy of the dataset with its own clock and disk.
final class SimulatedDevice {
  let name: String
  /// Whether it runs an older cairn that does not know newer fields.
  let isOld: Bool
  let clock: SkewedClock
  let timer = FaultTimer()
  /// Whether it has crashed, perhaps in a checkout, and no cairn has finished that yet.
  var isInterrupted = false
  private let environment: Environment
  private(set) var replica: Replica

  /// Opens a replica: a new dataset, a clone, or a copied directory.
  init(
    _ name: String, isOld: Bool, clock: SkewedClock, seed: UInt64,
    open: (Environment) throws -> Replica
  ) throws {
    (self.name, self.isOld, self.clock) = (name, isOld, clock)
    let random = SharedRandom(seed)
    let timer = timer
    environment = Environment(
      now: { clock.now }, random: { random.next() },
      files: FileSystem(
        fault: { (step, path) throws(FileError) in try timer.fault(step, path) },
        readFault: { path throws(FileError) in try timer.readFault(path) }))
    replica = try open(environment)
  }

  var root: FilePath { replica.directory.root }

  /// Restarts the device after a crash.
  func restart() throws {
    timer.replace()
    replica = try Replica.open(root, environment: environment)
  }

  /// Writes what `make` returns, as cairn's own commands do.
  func edit(
    _ ledger: inout Ledger, _ make: (EditSession, Replica) throws -> [Document]
  ) throws {
    let session = try replica.edit("edit")
    isInterrupted = false
    try withExtendedLifetime(session) {
      let documents = try make(session, replica)
      for document in documents { ledger.write(document, isCertain: false) }
      do {
        try session.write(documents)
      } catch let error as FileError where "\(error)".contains("Is a directory") {
        // git has checked out a directory in place of a document, which the next commit restores.
        return
      }
      for document in documents { ledger.write(document, isCertain: true) }
    }
  }

  /// Changes a file without cairn.
  ///
  /// - Parameter isAmending: Whether the change replaces a commit.
  func editByHand(
    _ path: String, _ ledger: inout Ledger, isAmending: Bool = false, _ change: (JSON) -> JSON
  ) throws {
    guard let old = try replica.directory.read(path), let json = try? JSON(bytes: old) else {
      return
    }
    let new = change(json).canonicalBytes
    ledger.change(path, from: old, to: new, isAmending: isAmending)
    try replica.directory.write(new, to: path)
  }

  /// Erases the image of a photo, and returns whether it was not erased before.
  func erase(_ photo: PhotoID) throws -> Bool {
    isInterrupted = false
    return try replica.editing("erase") {
      try !replica.erase([photo], reason: "simulated", session: $0).recorded.isEmpty
    }
  }

  /// Erases facts about a photo from the history.
  func erase(_ fact: Redaction.Fact, of photo: PhotoID) throws {
    isInterrupted = false
    try replica.editing("erase") {
      _ = try replica.erase(fact, of: [photo], reason: "simulated", session: $0)
    }
  }

  /// Erases a person from the history.
  func erase(_ person: Annotator) throws {
    isInterrupted = false
    try replica.editing("erase") {
      _ = try replica.erase(person, reason: "simulated", session: $0)
    }
  }

  func commit() throws {
    isInterrupted = false
    _ = try replica.commit(session: try replica.edit("commit"))
  }

  func pull(_ remote: String) throws {
    isInterrupted = false
    _ = try replica.pull(remote, options: options)
  }

  func sync(_ remote: String) throws {
    isInterrupted = false
    _ = try replica.sync(remote, options: options)
  }

  /// Options without images: there are only pointers.
  private var options: TransferOptions {
    var options = TransferOptions()
    (options.images, options.sendsImages) = (false, false)
    return options
  }

  /// Runs git in the dataset's directory, where no merge driver is installed; it may stop at a
  /// conflict.
  func git(_ arguments: String...) throws { try git(arguments) }

  func git(_ arguments: [String]) throws {
    // git tells people to remove the locks of a crashed process.
    for lock in ["index.lock", "HEAD.lock", "refs/heads/main.lock"] {
      try FileSystem().remove(replica.repository.gitDirectory.pushing(FilePath(lock)))
    }
    let process = gitProcess(arguments)
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
  }

  private func gitProcess(_ arguments: [String]) -> Process {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["git"] + arguments
    process.currentDirectoryURL = URL(filePath: root.string)
    let date = "@\(clock.now / 1000) +0000"
    process.environment = ProcessInfo.processInfo.environment.merging([
      "GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date,
      // git reads an image again if its file is as new as the index.
      "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "filter.lfs.clean",
      "GIT_CONFIG_VALUE_0": "git-lfs clean -- %f", "GIT_LFS_SKIP_SMUDGE": "1",
    ]) { $1 }
    process.standardError = FileHandle.nullDevice
    return process
  }

  func commitWithGit() throws {
    try git("add", "--sparse", ".")
    try git("commit", "-q", "-m", "With git")
  }

  /// Returns the output of `git status --porcelain`.
  func gitStatus() throws -> String {
    String(decoding: try gitOutput("status", "--porcelain"), as: UTF8.self)
  }

  private func gitOutput(_ arguments: String...) throws -> [UInt8] {
    let process = gitProcess(arguments)
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let bytes = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return Array(bytes)
  }

  /// Throws ``CreatedTwice`` if git stopped at a class that nobody edited.
  func checkConflict() throws {
    let path = DocumentPath.class(Simulation.newClass).description
    let (base, versions) = (
      try gitOutput("show", ":1:\(path)"),
      try [2, 3].map { try gitOutput("show", ":\($0):\(path)") }
    )
    if base.isEmpty, versions.allSatisfy({ !$0.isEmpty }) { try CreatedTwice.check(path, versions) }
  }

  /// Whether there is a merge made by git that a remote lacks: `git rebase` would drop its changes.
  func hasMerged(beyond remote: Repository) throws -> Bool {
    guard let head = try replica.repository.head() else { return false }
    var found = false
    try replica.repository.walk(from: [head], excluding: [try remote.head()].compactMap { $0 }) {
      let commit = try replica.repository.commit($0)
      found = commit.parents.count > 1 && commit.author.name != "cairn"
      return !found
    }
    return found
  }

  /// Whether git stopped during an operation that leaves this file.
  func isStopped(_ trace: String) throws -> Bool {
    try FileSystem().exists(replica.repository.gitDirectory.appending(trace))
  }

  /// Returns the sorted paths of the documents whose files differ from the last commit's.
  func uncommittedPaths() throws -> [String] {
    let committed = try replica.repository.contents(of: tree())
    return try committed.keys.filter { path in
      guard DocumentPath(path)?.kind != nil, let bytes = try replica.directory.read(path) else {
        return false
      }
      return bytes != committed[path]
    }.sorted()
  }

  func tree() throws -> ObjectID? {
    try replica.repository.tree(ofCommit: replica.repository.head())
  }
}

extension Repository {
  /// Returns the bytes of every file in a tree, by path.
  func contents(of tree: ObjectID?) throws -> [String: [UInt8]] {
    var contents: [String: [UInt8]] = [:]
    try diff(nil, tree) { difference in
      contents[difference.path] = try difference.new.map { try blob($0.id) }
    }
    return contents
  }
}
