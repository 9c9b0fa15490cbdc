// What devices do, one step at a time.

import CairnDocument
import CairnFiles
import CairnGit
import CairnStore
import CairnSync
import SystemPackage

extension Simulation {
  typealias Action = (
    weight: Int, perform: @Sendable (Simulation, SimulatedDevice) throws -> Void
  )

  /// What may happen in a step, and how often.
  static let actions: [Action] = [
    (29, { try $0.addLabel($1) }),
    (20, { try $0.exchange($1) }),
    (8, { try $0.commit($1) }),
    (10, { try $0.editFields($1) }),
    (6, { try $0.editByHand($1) }),
    (2, { try $0.addPhoto($1) }),
    (1, { try $0.removePhoto($1) }),
    (1, { try $0.removeInParts($1) }),
    (2, { try $0.prune($1) }),
    (8, { try $0.crash($1) }),
    (5, { simulation, _ in try simulation.workWithGit() }),
    (5, { try $0.useGit($1) }),
    (1, { try $0.checkOutSparse($1) }),
    (1, { $0.changeClock(of: $1) }),
    (1, { simulation, _ in try simulation.rewind() }),
    (1, { simulation, _ in try simulation.addCopy() }),
  ]

  /// Returns the weights of ``actions`` for one seed.
  ///
  /// Half of the seeds leave out about two thirds of the actions and give the rest equal chances, so
  /// that rare ones meet (Groce et al., "Swarm Testing", ISSTA 2012).
  static func weights(_ random: inout SeededRandom) -> [Int] {
    let all = actions.map(\.weight)
    if random.chance(50) { return all }
    // Without labels and exchanges nothing happens.
    return all.indices.map { $0 < 2 ? 2 : random.chance(33) ? 1 : 0 }
  }

  func step() throws {
    time.pass(Int64(random.below(random.chance(80) ? 5_000 : 50_000_000)))
    let device = random.pick(devices)
    var ticket = random.below(weights.reduce(0, +))
    for (weight, action) in zip(weights, Simulation.actions) {
      if ticket < weight { return try action.perform(self, device) }
      ticket -= weight
    }
  }

  func commit(_ device: SimulatedDevice) throws {
    try perform(device, "commits") { try device.commit() }
  }

  private func changeClock(of device: SimulatedDevice) {
    ledger.hasClockJumped = true
    device.clock.set(skew: skew())
    steps.append("\(device.name)'s clock jumps")
  }

  private func addCopy() throws {
    if devices.count < 8 { try random.chance(50) ? clone() : copy() }
  }

  func perform(_ device: SimulatedDevice, _ what: String, _ body: () throws -> Void) throws {
    steps.append("\(device.name) \(what)")
    do {
      try body()
    } catch StoreError.invalidDocument(let path, _) {
      // git left conflict markers in it; a commit or pull must repair it before an edit.
      steps.append("… but \(path) is invalid")
    }
  }

  /// A person or a model labels a photo.
  ///
  /// - Parameter chosen: The class, which is created if necessary; nil to choose any.
  func addLabel(_ device: SimulatedDevice, _ chosen: ClassKey? = nil) throws {
    let photo = random.pick(photos + [newPhoto])
    let annotator = random.chance(modelShare) ? Simulation.model : random.pick(Simulation.people)
    let key = chosen ?? random.pick(Simulation.classes + [Simulation.newClass])
    var label = Label(
      photo: photo, classKey: key, annotator: annotator,
      verdict: random.pick(Verdict.allCases), confidence: Double(random.below(101)) / 100,
      stamp: Stamp(milliseconds: 0, counter: 0, replica: ReplicaID(rawValue: 0)))
    var added: DocumentPath?
    defer { if let added { ledger.addAgain(added.description) } }
    try perform(
      device, "\(annotator.identity): \(label.classKey) \(label.verdict) on \(photo.short)"
    ) {
      try device.edit(&ledger) { session, replica in
        // A photo that is not in this copy cannot be labeled.
        guard try replica.document(at: .photo(photo)) != nil else { return [] }
        var replaced: Stamp?
        let path = Document.label(label).path
        if case .label(let old) = try replica.document(at: path) {
          replaced = old.stamp
        } else {
          added = path
        }
        // A model writes the same label, with the same stamp, on every device.
        label.stamp =
          annotator == Simulation.model
          ? replaced?.successor() ?? .given : session.stamp(replacing: replaced)
        if !Simulation.classes.contains(key), try replica.document(at: .class(key)) == nil {
          return [.class(LabelClass(key: key, name: key.text)), .label(label)]
        }
        return [.label(label)]
      }
    }
  }

  /// A person edits a field of a photo, a pin or a class, even one that only newer versions know.
  ///
  /// - Parameter known: A photo whose title or caption to edit; nil to choose anything.
  func editFields(_ device: SimulatedDevice, _ known: PhotoID? = nil) throws {
    let text = "text \(random.below(1000))"
    let (photo, pin, key) = (
      known ?? random.pick(photos + [newPhoto]), random.pick(pins),
      random.pick(Simulation.classes)
    )
    let (field, flag, pinned) = (
      random.below(known != nil ? 2 : device.isOld ? 7 : 10), random.chance(50),
      random.chance(50)
    )
    var added: DocumentPath?
    defer { if let added { ledger.addAgain(added.description) } }
    try perform(device, "edits field \(field): \(text)") {
      try device.edit(&ledger) { session, replica in
        func edited<Value>(_ register: Register<Value>, _ value: Value) -> Register<Value> {
          Register(value, session.stamp(replacing: register.stamp))
        }
        switch field {
        case 0..<4:
          guard case .photo(var document)? = try replica.document(at: .photo(photo)) else {
            // A photo is never added without its image.
            added = .photo(photo)
            try replica.directory.write(
              self.pointer(to: photo).bytes, to: DocumentPath.image(photo, .png).description)
            return [.photo(self.photo(photo, session))]
          }
          switch field {
          case 0: document.title = edited(document.title, text)
          case 1: document.caption = edited(document.caption, text)
          case 2: document.removed = edited(document.removed, flag)
          default: document.pin = edited(document.pin, pinned ? pin : nil)
          }
          return [.photo(document)]
        case 7:
          guard case .photo(let document)? = try replica.document(at: .photo(photo)) else {
            return []
          }
          var members = document.members
          let old = members["rating"]?["stamp"]?.string.flatMap { Stamp($0) }
          members["rating"] = [
            "stamp": .string(session.stamp(replacing: old).description), "value": .string(text),
          ]
          return [.photo(try Photo(json: .object(members)))]
        case 4, 5:
          guard case .pin(var document)? = try replica.document(at: .pin(pin)) else { return [] }
          if flag {
            document.name = edited(document.name, text)
          } else {
            document.removed = edited(document.removed, pinned)
          }
          return [.pin(document)]
        default:
          guard case .class(var document)? = try replica.document(at: .class(key)) else {
            added = .class(key)
            return [.class(LabelClass(key: key, name: text, stamp: session.stamp()))]
          }
          switch field {
          case 8:
            let alias = flag ? Simulation.classes[pinned ? 0 : 1] : nil
            document.aliasOf = Register(
              alias, session.stamp(replacing: document.aliasOf?.stamp))
          case 9:
            document.set = Register(
              flag ? Simulation.classes[2] : nil, session.stamp(replacing: document.set?.stamp))
          default: document.name = edited(document.name, text)
          }
          return [.class(document)]
        }
      }
    }
  }

  /// A person adds a photo that others may also have added, with initial stamps, as an import does.
  func addPhoto(_ device: SimulatedDevice) throws {
    let photo = Photo(
      id: newPhoto, image: Self.imageFacts, pin: nil, source: "imported")
    var isAddedAgain = false
    defer {
      if isAddedAgain {
        ledger.addAgain(DocumentPath.photo(newPhoto).description, at: device.clock.now)
      }
    }
    try perform(device, "adds \(newPhoto.short)") {
      try device.edit(&ledger) { session, replica in
        guard case .photo(var known)? = try replica.document(at: .photo(newPhoto)) else {
          isAddedAgain = true
          try replica.directory.write(
            pointer(to: newPhoto).bytes, to: DocumentPath.image(newPhoto, .png).description)
          return [.photo(photo)]
        }
        guard known.removed.value else { return [] }
        known.removed = Register(false, session.stamp(replacing: known.removed.stamp))
        return [.photo(known)]
      }
    }
    // If others have removed it, adding it restores it with a later stamp.
    ledger.restore(DocumentPath.photo(newPhoto).description, photo.canonicalBytes)
    // Others who add it later do not know of its removal.
    if random.chance(25) { try remove(newPhoto, from: device) }
  }

  func photo(_ id: PhotoID, _ session: EditSession) -> Photo {
    Photo(
      id: id, image: Self.imageFacts, pin: nil, source: "simulated", stamp: session.stamp())
  }

  private static let imageFacts = ImageFacts(format: .png, width: 1, height: 1, bytes: imageSize)

  private func editByHand(_ device: SimulatedDevice) throws {
    let path = DocumentPath.photo(random.pick(photos)).description
    let text = "by hand \(random.below(1000))"
    try perform(device, "edits \(path) in an editor") {
      try device.editByHand(path, &ledger) { PlainGitUser.retitled($0, text) }
    }
  }

  func exchange(_ device: SimulatedDevice) throws {
    let remote = random.pick(remotes)
    switch random.below(10) {
    case 0, 1: try perform(device, "pulls \(remote.name)") { try device.pull(remote.name) }
    case 2:
      // Directly from another device, with whatever it has committed.
      let other = random.pick(devices)
      try pull(device, other.root, as: other.name)
    default:
      try perform(device, "syncs with \(remote.name)") { try device.sync(remote.name) }
      if random.chance(20) { try perform(device, "syncs again") { try device.sync(remote.name) } }
    }
  }

  /// The power fails during an action of a device, often in the middle of a checkout; or one of its
  /// files cannot be read once.
  private func crash(_ device: SimulatedDevice) throws {
    do {
      if random.chance(40) {
        try crashInCheckout(device)
      } else {
        if random.chance(30) {
          device.timer.failRead(after: random.below(200))
        } else {
          device.timer.failAfter(random.below(60))
        }
        switch random.below(20) {
        case 0..<5: try addLabel(device)
        case 5..<8: try checkOutSparse(device)
        default: try exchange(device)
        }
      }
    } catch {
      guard device.timer.hasFailed else { throw error }
    }
    let hasFailed = device.timer.hasFailed
    device.isInterrupted = hasFailed
    if device.timer.hasReadFailed {
      steps.append("… and \(device.name) fails to read a file")
    } else if hasFailed {
      steps.append("… and \(device.name) crashes")
    }
    // What was read before stays in memory.
    if device.timer.hasReadFailed, random.chance(50) {
      device.timer.replace()
    } else {
      try device.restart()
    }
    // What a person then edits may be of a version that is not committed here yet.
    if random.chance(hasFailed ? 60 : 10) { try editUncommitted(device) }
  }

  /// The power may fail while a device checks out what others have pushed, just now or before.
  private func crashInCheckout(_ device: SimulatedDevice) throws {
    let (other, remote) = (random.pick(devices), random.pick(remotes))
    if other !== device {
      for _ in 0..<(1 + random.below(3)) { try editFields(other) }
      try perform(other, "syncs with \(remote.name)") { try other.sync(remote.name) }
    }
    device.timer.failAfter(random.below(8), inWorkTree: true)
    try perform(device, "pulls \(remote.name)") { try device.pull(remote.name) }
  }

  /// A person edits a document whose version in the work tree is not committed.
  private func editUncommitted(_ device: SimulatedDevice) throws {
    // A copied directory may hold the same version, and commits it as it is.
    if ledger.hasCopies { return }
    let paths = try device.uncommittedPaths()
    if paths.isEmpty { return }
    let path = random.pick(paths)
    try perform(device, "edits \(path), which is not committed") {
      try device.editByHand(path, &ledger) { PlainGitUser.reworded($0, &random) }
    }
  }
}
