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
      try eraseImages(
        of: chosen, in: (branch, head), answered: answered, atRemote: name, &reports)
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

  private func eraseImages(
    of erasures: [Erasure], in place: (branch: String?, head: ObjectID?), answered: Set<String>,
    atRemote name: String, _ reports: inout [ErasureStoreReport]
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
        let asked = erasures.filter {
          !answered.contains(Replica.answer($0.photo, report.address))
        }
        if asked.isEmpty { continue }
        let result = try transfer(with: store).erase(
          asked.map { Pointer(id: $0.photo, size: $0.bytes) })
        report.erased = result.erased.map(\.id)
        report.kept = result.kept.map(\.id)
        report.failed = result.failed.map(\.image.id)
        report.failure = result.failed.first?.error
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
    var reports: [ErasureStoreReport] = []
    for name in try repository.settings().remoteNames {
      guard let address = try repository.remoteURL(name, for: .fetching) else { continue }
      var report = ErasureStoreReport(
        remote: name, address: RemoteAddress.withoutSecret(address))
      do {
        let remote = try Remote(
          address, named: name, settings: repository.settings(), in: repository,
          relativeTo: directory.root, credentials: credentials, environment: environment)
        defer { remote.git.close() }
        let store = try remote.images(
          .download, imageSettings(at: repository.head()),
          branch: (try? branch()) ?? "refs/heads/main")
        report = ErasureStoreReport(
          remote: name, address: RemoteAddress.withoutSecret(store.address))
        let found = try transfer(with: store).findErased(
          erasures.map { Pointer(id: $0.photo, size: $0.bytes) })
        report.kept = found.kept.map(\.id)
        report.erased = found.erased.map(\.id)
        report.failed = found.failed.map(\.image.id)
        report.failure = found.failed.first?.error
      } catch let error as TransportError where error.kind == .noImageStore {
        continue
      } catch {
        report.failed = erasures.map(\.photo)
        report.failure = error
      }
      reports.append(report)
    }
    return reports
  }
}
