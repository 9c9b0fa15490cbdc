// Images that are erased for good. Everything else needs only their pointers.

import CairnDocument
import CairnGit
import CairnStore
import CairnSync
import SystemPackage

extension Simulation {
  /// Some seeds erase images. Their random numbers are their own, so that all other steps stay as
  /// they are.
  func perhapsErase() throws {
    guard hasErasures else { return }
    let photo = erasureRandom.pick(photos + [newPhoto])
    let device = erasureRandom.pick(devices)
    switch erasureRandom.below(12) {
    case 0:
      try perform(device, "erases the image of \(photo.short)") {
        if try device.erase(photo) { erased.insert(photo) }
      }
    case 1..<4:
      steps.append("\(device.name) gets the image of \(photo.short) elsewhere")
      try store(photo, in: device.replica.directory.blobs)
    case 4:
      let remote = erasureRandom.pick(remotes)
      steps.append("\(remote.name) gets the image of \(photo.short)")
      try store(photo, in: blobs(of: remote.path))
    default: break
    }
  }

  /// Some seeds erase positions, metadata or people from the history.
  func perhapsEraseFacts() throws {
    guard hasRedactions, redactionRandom.chance(8) else { return }
    let device = redactionRandom.pick(devices)
    let photo = redactionRandom.pick(photos + [newPhoto])
    let fact: Redaction.Fact = redactionRandom.chance(60) ? .position : .metadata
    // git finishes first what it has begun, and a detached head is put on its branch again.
    guard try device.replica.repository.headBranch() != nil else { return }
    // Before it is erased: a crash may come after.
    ledger.erase(fact, of: photo)
    try perform(device, "erases the \(fact) of \(photo.short) from the history") {
      try device.erase(fact, of: photo)
      erasedPositions.insert(photo)
    }
  }

  /// Some seeds without people with plain git, who would merge the old history with the new one, erase
  /// a person who labels, and who may label again later.
  func perhapsErasePerson() throws {
    guard let erasedPerson, users.isEmpty, personRandom.chance(8) else { return }
    let device = personRandom.pick(devices)
    guard try device.replica.repository.headBranch() != nil else { return }
    try perform(device, "erases \(erasedPerson.identity) from the history") {
      try device.erase(erasedPerson)
      isPersonErased = true
    }
  }

  /// Checks that no object that a copy or a remote names has the address of the erased person, and no
  /// label a part of it in its name.
  private func checkErasedPerson() throws {
    guard let erasedPerson, isPersonErased else { return }
    let copies =
      try devices.map { ($0.name, $0.replica.repository, try $0.replica.repository.namedObjects()) }
      + remotes.map { ($0.name, $0.repository, Set(try $0.repository.references().values)) }
    for (name, repository, tips) in copies {
      try repository.refreshObjects()
      var seen: Set<ObjectID> = []
      func check(_ id: ObjectID, _ what: String) throws {
        guard seen.insert(id).inserted else { return }
        let bytes = try repository.withObject(id) { Array($1) }
        if String(decoding: bytes, as: UTF8.self).contains(erasedPerson.identity) {
          throw failure("\(name) has the address of \(erasedPerson.identity) in \(what)")
        }
      }
      try repository.walk(from: tips.filter { (try? repository.commit($0)) != nil }) { id in
        try check(id, "\(id)")
        try repository.diff(nil, repository.tree(ofCommit: id)) { difference in
          let path = difference.path
          guard let node = difference.new else { return }
          try check(node.id, "\(path) of \(id)")
          if case .label(_, let label)? = DocumentPath(path), label.tag == erasedPerson.tag {
            throw failure("\(name) has \(path) of \(erasedPerson.identity) in \(id)")
          }
        }
        return true
      }
    }
  }

  /// Checks that no commit that a copy or a remote names has erased facts.
  func checkErasedFacts() throws {
    for device in devices where try device.replica.remainingFacts()?.isReachable == true {
      throw failure("\(device.name) has erased facts in its history")
    }
    for remote in remotes {
      guard let head = try remote.repository.head() else { continue }
      try remote.repository.refreshObjects()
      try remote.repository.walk(from: [head]) { id in
        let tree = try remote.repository.tree(ofCommit: id)
        for photo in erasedPositions {
          let path = DocumentPath.photo(photo).description
          if let bytes = try remote.repository.file(at: path, in: tree),
            let json = try? JSON(bytes: bytes), let pin = json["pin"]?["value"], !pin.isNull
          {
            throw failure("\(remote.name) has the erased position of \(photo.short) in \(id)")
          }
        }
        return true
      }
    }
    try checkErasedPerson()
  }

  private func blobs(of remote: FilePath) -> BlobStore {
    BlobStore(
      directory: remote.appending("lfs"), environment: devices[0].replica.directory.environment)
  }

  /// Stores an image, unless it is known to be erased.
  private func store(_ photo: PhotoID, in blobs: BlobStore) throws {
    var rest = images[photo]
    let staged = try blobs.stage {
      defer { rest = nil }
      return rest
    }
    do {
      try blobs.install(staged)
    } catch StoreError.erasedBlob {}
  }

  /// Checks that every erasure is in the dataset, and that no copy or remote has the image.
  func checkErasures(_ contents: [String: [UInt8]]) throws {
    for photo in erased where contents[DocumentPath.erasure(photo).description] == nil {
      throw failure("the erasure of \(photo.short) is lost")
    }
    for path in contents.keys {
      guard case .erasure(let photo)? = DocumentPath(path) else { continue }
      let stores =
        devices.map { ($0.name, $0.replica.directory.blobs) }
        + remotes.map { ($0.name, blobs(of: $0.path)) }
      for (name, blobs) in stores {
        if try !blobs.remains(of: photo, size: -1).isEmpty {
          throw failure("\(name) has the erased image of \(photo.short)")
        }
        if try !blobs.isErased(photo) {
          throw failure("\(name) would take in the erased image of \(photo.short)")
        }
      }
    }
  }
}
