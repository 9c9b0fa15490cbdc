// The final syncs and the conditions that must then hold.

import CairnDocument
import CairnFiles
import CairnGit
import CairnStore
import CairnSync

extension Simulation {
  /// Syncs all devices and remotes until nothing changes.
  func syncAll() throws {
    steps.append("final syncs:")
    for (index, user) in users.enumerated() {
      steps.append("user-\(index): \(try user.push(to: remotes[0].repository, &random, &ledger))")
    }
    var before: [ObjectID?] = []
    for _ in 0..<12 {
      for device in devices {
        for remote in remotes { try device.sync(remote.name) }
      }
      // Two remotes may end at different merges of the same commits.
      let heads = try (devices.map(\.replica.repository) + remotes.map(\.repository))
        .map { try $0.head() }
      if heads == before { return }
      before = heads
    }
    throw failure("the devices do not converge")
  }

  /// Returns the document or image in whose place there is a directory; nil if there is none.
  private static func document(above path: String) -> DocumentPath? {
    let parts = path.split(separator: "/")
    return parts.indices.lazy.compactMap { DocumentPath(parts[..<$0].joined(separator: "/")) }.first
  }

  func check() throws {
    let trees = Set(try devices.map { try $0.tree() })
    if trees.count != 1 { throw failure("the trees differ: \(trees)") }
    for remote in remotes {
      let tree = try remote.repository.tree(ofCommit: remote.repository.head())
      if tree != trees.first! { throw failure("\(remote.name) has another tree") }
    }
    let contents = try devices[0].replica.repository.contents(of: trees.first!)
    if let problem = ledger.problem(about: contents) { throw failure(problem) }
    for (path, bytes) in contents {
      if let document = Simulation.document(above: path) {
        throw failure("\(path) is below \(document)")
      }
      guard let document = DocumentPath(path), document.kind != nil else { continue }
      do {
        if try Document(bytes: bytes, at: document).canonicalBytes != bytes {
          throw failure("\(path) is not canonical")
        }
      } catch let error as DocumentError {
        throw failure("\(path) is invalid: \(error)")
      }
    }
    if contents["cairn.json"] == nil { throw failure("the manifest is missing") }
    try checkErasures(contents)
    try checkErasedFacts()
    for (path, bytes) in contents {
      switch DocumentPath(path) {
      case .label(let photo, let name):
        let photoPath = DocumentPath.photo(photo).description
        if contents[photoPath] == nil, !ledger.wasRemovedByHand(photoPath) {
          throw failure("\(path) has no photo")
        }
        let classPath = DocumentPath.class(name.classKey).description
        // A label that `git rebase` re-adds after everyone knew of its class's removal stays as it
        // is, without the class.
        let isReplayed = ledger.hasRebased && ledger.wasRemovedByHand(classPath)
        if contents[classPath] == nil, !isReplayed,
          !ledger.wasRemoved(classPath, under: path, bytes)
        {
          throw failure("\(path) has no class")
        }
      case .photo(let photo):
        let image = contents[DocumentPath.image(photo, .png).description]
        if image != pointer(to: photo).bytes { throw failure("\(path) has no valid image pointer") }
        if try Photo(bytes: bytes).image.bytes != Simulation.imageSize {
          throw failure("\(path) has other facts")
        }
      default: break
      }
    }
    for device in devices {
      let state = try device.replica.workingState()
      if let change = state.changes.first {
        throw failure("\(device.name) has \(change.path) changed")
      }
      if let problem = state.problems.first {
        throw failure("\(device.name): \(problem.path): \(problem.reason)")
      }
      // cairn leaves files that git has checked out under names that are not UTF-8 as they are.
      let status = try device.gitStatus().split(separator: "\n").filter { !$0.contains(#"\3"#) }
      if !status.isEmpty { throw failure("\(device.name): git status: \(status)") }
    }
  }
}
