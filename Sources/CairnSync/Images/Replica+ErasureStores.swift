package import CairnDocument
internal import CairnFiles
internal import CairnGit
internal import CairnImages
internal import CairnStore
internal import CairnTransport
internal import SystemPackage

// The image stores of remotes are asked once for each erased image and by each copy: the same path
// may be another store on another machine.

extension Replica {
  /// Asks the image stores of remotes to delete erased images, and records what they did.
  ///
  /// - Parameters:
  ///   - photos: The photos, of which the stores are asked in any case; nil for all erased ones, of
  ///     which a store is asked until it has answered once.
  ///   - remoteName: Nil for all remotes.
  ///   - branch: The branch with the erasures, where the answers are recorded also if another one is
  ///     checked out meanwhile; nil for the one that is now.
  package func eraseAtRemotes(
    _ photos: [PhotoID]? = nil, remote remoteName: String? = nil, branch: String? = nil
  ) throws -> [ErasureStoreReport] {
    let branch = try branch ?? repository.headBranch()
    let head = try repository.reference(branch ?? "HEAD")
    let erasures = try erasures(of: head)
    let wanted = photos.map(Set.init)
    let chosen = erasures.filter { wanted?.contains($0.photo) ?? true }
    if chosen.isEmpty { return [] }
    let names = try remoteName.map { [$0] } ?? repository.settings().remoteNames
    let answered = wanted == nil ? try answeredErasures() : []
    var reports: [ErasureStoreReport] = []
    for name in names {
      try askStores(ofRemote: name, in: (branch, head), about: chosen, &reports) { store, address in
        let asked = chosen.filter { !answered.contains(Replica.answer($0.photo, address)) }
        return asked.isEmpty
          ? nil : try store.erase(asked.map { Pointer(id: $0.photo, size: $0.bytes) })
      }
    }
    let done = reports.filter { !$0.erased.isEmpty || !$0.kept.isEmpty }
    if done.isEmpty { return reports }
    try editing("photo erase") { session in
      let branch = try branch ?? self.branch()
      // Another work tree records the answers of its own branch.
      if try repository.headBranch() != branch, try !repository.workTrees(on: branch).isEmpty {
        return
      }
      try noteAnswers(done)
      try record(done, on: branch, session: session)
      rewriteHistoryIfPossible(session)
    }
    return reports
  }

  /// Asks the image stores of a remote about erased images, and reports what they answer.
  ///
  /// - Parameter ask: Returns the answer of the store with an address; nil if it need not be asked.
  private func askStores(
    ofRemote name: String, in place: (branch: String?, head: ObjectID?), about erasures: [Erasure],
    _ reports: inout [ErasureStoreReport],
    _ ask: (_ store: ImageTransfer, _ address: String) throws -> ImageErasureReport?
  ) throws {
    // Images may be sent to one store and fetched from another.
    let ways: [(GitSettings.Direction, ImageDirection)] = [
      (.pushing, .upload), (.fetching, .download),
    ]
    for (direction, way) in ways {
      guard let address = try repository.remoteURL(name, for: direction) else { continue }
      var report = ErasureStoreReport(
        remote: name, address: RemoteAddress.withoutSecret(address))
      do {
        let remote = try Remote(
          address, named: name, settings: repository.settings(), in: repository,
          relativeTo: directory.root, credentials: credentials, environment: environment)
        defer { remote.git.close() }
        let store = try remote.images(
          way, imageSettings(at: place.head), branch: place.branch ?? "refs/heads/main")
        report = ErasureStoreReport(
          remote: name, address: RemoteAddress.withoutSecret(store.address))
        if reports.contains(where: { $0.address == report.address && $0.failure == nil }) {
          continue
        }
        guard let answer = try ask(transfer(with: store), report.address) else { continue }
        report.erased = answer.erased.map(\.id)
        report.kept = answer.kept.map(\.id)
        report.failed = answer.failed.map(\.image.id)
        report.failure = answer.failed.first?.error
      } catch let error as TransportError where error.kind == .noImageStore {
        continue
      } catch {
        report.failed = erasures.map(\.photo)
        report.failure = error
        if reports.contains(where: { $0.remote == name && $0.failure != nil }) { continue }
      }
      reports.append(report)
    }
  }

  // MARK: Answers

  /// The file with the answers of image stores to this copy: a photo, a space and an address on each
  /// line.
  private var answersFile: FilePath { directory.privateDirectory.appending("erased-at") }

  private static func answer(_ photo: PhotoID, _ address: String) -> String {
    "\(photo) \(address)"
  }

  private func answeredErasures() throws -> Set<String> {
    let text = String(decoding: try environment.files.read(answersFile) ?? [], as: UTF8.self)
    return Set(text.split(separator: "\n").map(String.init))
  }

  private func noteAnswers(_ reports: [ErasureStoreReport]) throws {
    var answers = try answeredErasures()
    for report in reports {
      for photo in report.erased + report.kept {
        answers.insert(Replica.answer(photo, report.address))
      }
    }
    try environment.files.write(
      Array(answers.sorted().map { $0 + "\n" }.joined().utf8), to: answersFile,
      temporary: FilePath("\(answersFile).new"))
  }

  /// Returns which erased images the image stores of all remotes have.
  package func erasedImagesAtRemotes() throws -> [ErasureStoreReport] {
    let erasures = try erasures()
    if erasures.isEmpty { return [] }
    let place = (branch: try repository.headBranch(), head: try repository.head())
    var reports: [ErasureStoreReport] = []
    for name in try repository.settings().remoteNames {
      try askStores(ofRemote: name, in: place, about: erasures, &reports) { store, _ in
        try store.findErased(erasures.map { Pointer(id: $0.photo, size: $0.bytes) })
      }
    }
    return reports
  }
}
