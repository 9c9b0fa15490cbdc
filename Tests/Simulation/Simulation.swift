import CairnDocument
import CairnFiles
import CairnGit
import CairnStore
import CairnSync
import Foundation
import SystemPackage

/// Two to eight devices, some people with plain git and a few remotes, whose every move one seed
/// decides: clocks that are wrong and jump, syncs that are cut short, repeated and undone, directories
/// that are copied. When all is quiet in the end, all copies must be equal and hold what was said.
public final class Simulation {
  /// What is not as it must be, with what led to it.
  public struct Failure: Error, CustomStringConvertible {
    public let seed: UInt64
    public let complaint: String
    public let story: [String]

    public var description: String {
      """
      seed \(seed): \(complaint)
      \(story.joined(separator: "\n"))
      To replay it: make simulate SEEDS=\(seed)
      """
    }
  }

  private let seed: UInt64
  private let place: FilePath
  private let time = SharedTime()
  private var random: SeededRandom
  private var ledger = Ledger()
  private var story: [String] = []
  private var devices: [SimulatedDevice] = []
  private var users: [PlainGitUser] = []
  private var remotes: [(name: String, repository: Repository, path: FilePath)] = []
  private let photos: [PhotoID]
  private let pins: [PinID]

  private static let classes = ["oak", "elm", "ash"].map { ClassKey($0)! }
  private static let people = ["alice", "bob", "carol"].map {
    Annotator("human:\($0)@example.org")!
  }
  private static let model = Annotator("model:net@1")!

  /// Runs one seed to its end.
  ///
  /// - Parameter directory: Where its files go, best in memory; what it makes there is removed.
  /// - Parameter keeps: Whether to leave the files for somebody to look at.
  /// - Returns: What happened, line by line.
  /// - Throws: ``Failure``.
  @discardableResult
  public static func run(
    seed: UInt64, in directory: String, keeps: Bool = false
  ) throws -> [String] {
    let simulation = try Simulation(seed: seed, directory: directory)
    defer { if !keeps { try? FileSystem().removeTree(simulation.place) } }
    do {
      try simulation.start()
      for _ in 0..<(12 + simulation.random.below(24)) { try simulation.step() }
      try simulation.settle()
      try simulation.check()
      return simulation.story
    } catch let failure as Failure {
      throw failure
    } catch {
      throw simulation.failure("\(error)")
    }
  }

  private init(seed: UInt64, directory: String) throws {
    self.seed = seed
    random = SeededRandom(seed)
    place = FilePath(directory).appending(
      "cairn-simulation-\(seed)-\(UInt32.random(in: 0 ... .max))")
    var source = SeededRandom(seed ^ 0x5EED)
    // Few things make many conflicts.
    photos = (0..<(1 + source.below(3))).map { _ in
      PhotoID(digest: (0..<32).map { _ in UInt8(source.below(256)) })
    }
    pins = (0..<2).map { _ in PinID(random: { source.next() }) }
    try FileSystem().createDirectory(place)
  }

  private func failure(_ complaint: String) -> Failure {
    Failure(seed: seed, complaint: complaint, story: story)
  }

  // MARK: Setting up

  private func start() throws {
    for index in 0..<(1 + random.below(2)) {
      let path = place.appending("remote-\(index).git")
      let repository = try Repository.create(path, bare: true, files: FileSystem())
      remotes.append(("remote-\(index)", repository, path))
    }
    try addDevice { place, name, world in
      try Replica.create(place.appending(name), name: "simulated", command: nil, world: world)
    }
    let first = devices[0]
    try first.edit(&ledger) { session, _ in
      photos.map { .photo(photo($0, session)) }
        + pins.map {
          .pin(
            Pin(
              id: $0, at: Coordinate(latitude: 1, longitude: 2)!, name: "", stamp: session.stamp()))
        }
        + Simulation.classes.map {
          .class(LabelClass(key: $0, name: $0.text, stamp: session.stamp()))
        }
    }
    for remote in remotes { try first.sync(remote.name) }
    for _ in 0..<(1 + random.below(3)) { try clone() }
    for index in 0..<random.below(3) {
      users.append(try PlainGitUser("user-\(index).git", in: place, clock: clock()))
    }
  }

  private func clock() -> SkewedClock {
    SkewedClock(time, skew: random.chance(70) ? 0 : skew())
  }

  /// Hours ahead or behind, seldom years.
  private func skew() -> Int64 {
    let hours = random.chance(10) ? 20_000 : 30
    return Int64(random.below(2 * hours) - hours) * 3_600_000
  }

  private func addDevice(_ open: (FilePath, String, World) throws -> Replica) throws {
    let name = "device-\(devices.count)"
    let device = try SimulatedDevice(name, clock: clock(), seed: random.next()) {
      try open(place, name, $0)
    }
    let known = try device.replica.repository.remoteNames()
    for remote in remotes where !known.contains(remote.name) {
      try device.replica.addRemote(
        remote.name, remote.path.string, creating: false, relativeTo: place)
    }
    devices.append(device)
  }

  private func clone() throws {
    let remote = random.pick(remotes)
    try addDevice { place, name, world in
      try Replica.clone(
        remote.path.string, to: place.appending(name), relativeTo: place, command: nil, world: world
      ).replica
    }
    story.append("cloned \(remote.name) to \(devices.last!.name)")
  }

  /// Copies the directory of a device, as a backup or a file manager does.
  private func copy() throws {
    let device = random.pick(devices)
    try addDevice { place, name, world in
      try FileManager.default.copyItem(
        atPath: device.root.string, toPath: place.appending(name).string)
      return try Replica.open(place.appending(name), world: world)
    }
    story.append("copied \(device.name) to \(devices.last!.name)")
  }

  // MARK: Steps

  private func step() throws {
    time.pass(Int64(random.below(random.chance(80) ? 5_000 : 50_000_000)))
    let device = random.pick(devices)
    switch random.below(100) {
    case 0..<30: try say(device)
    case 30..<42: try editFields(device)
    case 42..<48: try editByHand(device)
    case 48..<56: try tell(device, "commits") { try device.commit() }
    case 56..<76: try exchange(device)
    case 76..<84: try crash(device)
    case 84..<89: try workWithGit()
    case 89..<94: try useGit(device)
    case 94..<96:
      device.clock.set(skew: skew())
      story.append("\(device.name)'s clock jumps")
    case 96: try rewind()
    case 97: try prune(device)
    default:
      if devices.count < 8 { try random.chance(50) ? clone() : copy() }
    }
  }

  private func tell(_ device: SimulatedDevice, _ what: String, _ body: () throws -> Void) throws {
    story.append("\(device.name) \(what)")
    do {
      try body()
    } catch StoreError.invalidDocument(let path, _) {
      // git left conflict markers there; whoever edits it has to commit or pull first.
      story.append("… but \(path) does not read")
    }
  }

  /// Somebody, or a model, labels a photo.
  private func say(_ device: SimulatedDevice) throws {
    let photo = random.pick(photos)
    let annotator = random.chance(85) ? random.pick(Simulation.people) : Simulation.model
    var label = Label(
      photo: photo, classKey: random.pick(Simulation.classes), annotator: annotator,
      verdict: random.pick(Verdict.allCases), confidence: Double(random.below(101)) / 100,
      stamp: Stamp(milliseconds: 0, counter: 0, replica: ReplicaID(rawValue: 0)))
    try tell(device, "\(annotator.identity): \(label.classKey) \(label.verdict) on \(photo.short)")
    {
      try device.edit(&ledger) { session, directory in
        var replaced: Stamp?
        if case .label(let old) = try directory.document(at: Document.label(label).path) {
          replaced = old.stamp
        }
        label.stamp = session.stamp(replacing: replaced)
        return [.label(label)]
      }
    }
  }

  /// Somebody edits a field of a photo, a pin or a class; one that a later version knows, too.
  private func editFields(_ device: SimulatedDevice) throws {
    let text = "text \(random.below(1000))"
    let (photo, pin, key) = (
      random.pick(photos), random.pick(pins), random.pick(Simulation.classes)
    )
    let (field, flag, pinned) = (random.below(8), random.chance(50), random.chance(50))
    try tell(device, "edits field \(field): \(text)") {
      try device.edit(&ledger) { session, directory in
        func edited<Value>(_ register: Register<Value>, _ value: Value) -> Register<Value> {
          Register(value, session.stamp(replacing: register.stamp))
        }
        switch field {
        case 0..<4:
          guard case .photo(var document)? = try directory.document(at: .photo(photo)) else {
            return [.photo(self.photo(photo, session))]
          }
          switch field {
          case 0: document.title = edited(document.title, text)
          case 1: document.caption = edited(document.caption, text)
          case 2: document.removed = edited(document.removed, flag)
          default: document.pin = edited(document.pin, pinned ? pin : nil)
          }
          return [.photo(document)]
        case 4:
          guard case .photo(let document)? = try directory.document(at: .photo(photo)) else {
            return []
          }
          var members = document.members
          let old = members["rating"]?["stamp"]?.string.flatMap { Stamp($0) }
          members["rating"] = [
            "stamp": .string(session.stamp(replacing: old).description), "value": .string(text),
          ]
          return [.photo(try Photo(json: .object(members)))]
        case 5, 6:
          guard case .pin(var document)? = try directory.document(at: .pin(pin)) else { return [] }
          if flag {
            document.name = edited(document.name, text)
          } else {
            document.removed = edited(document.removed, pinned)
          }
          return [.pin(document)]
        default:
          guard case .class(var document)? = try directory.document(at: .class(key)) else {
            return [.class(LabelClass(key: key, name: text, stamp: session.stamp()))]
          }
          document.name = edited(document.name, text)
          return [.class(document)]
        }
      }
    }
  }

  private func photo(_ id: PhotoID, _ session: EditSession) -> Photo {
    Photo(
      id: id, image: ImageFacts(format: .png, width: 1, height: 1, bytes: 1), pin: nil,
      source: "simulated", stamp: session.stamp())
  }

  private func editByHand(_ device: SimulatedDevice) throws {
    let path = DocumentPath.photo(random.pick(photos)).description
    let text = "by hand \(random.below(1000))"
    try tell(device, "edits \(path) in an editor") {
      try device.editByHand(path, &ledger) { json in
        guard var members = json.object, var title = members["title"]?.object else { return json }
        title["value"] = .string(text)
        members["title"] = .object(title)
        return .object(members)
      }
    }
  }

  private func exchange(_ device: SimulatedDevice) throws {
    let remote = random.pick(remotes)
    switch random.below(10) {
    case 0, 1: try tell(device, "pulls \(remote.name)") { try device.pull(remote.name) }
    case 2:
      // Straight from another device, whatever it has committed.
      let other = random.pick(devices)
      if other === device { return }
      if try device.replica.repository.remoteURL(other.name) == nil {
        try device.replica.addRemote(
          other.name, other.root.string, creating: false, relativeTo: place)
      }
      try tell(device, "pulls \(other.name)") { try device.pull(other.name) }
    default:
      try tell(device, "syncs with \(remote.name)") { try device.sync(remote.name) }
      if random.chance(20) { try tell(device, "syncs again") { try device.sync(remote.name) } }
    }
  }

  /// The power fails at some step of what a device does.
  private func crash(_ device: SimulatedDevice) throws {
    device.fuse.burnAfter(random.below(60))
    do {
      if random.chance(25) { try say(device) } else { try exchange(device) }
    } catch {
      guard device.fuse.hasBurned else { throw error }
    }
    if device.fuse.hasBurned { story.append("… and \(device.name) crashes") }
    try device.restart()
  }

  /// Somebody at a device takes git for once.
  private func useGit(_ device: SimulatedDevice) throws {
    if random.chance(50) {
      try tell(device, "commits with git") {
        try device.git("add", ".")
        try device.git("commit", "-q", "-m", "With git")
      }
    } else {
      let remote = random.pick(remotes)
      let commits = random.chance(80)
      try tell(device, "\(commits ? "commits and " : "")pulls \(remote.name) with git") {
        if commits {
          try device.git("add", ".")
          try device.git("commit", "-q", "-m", "With git")
        }
        try device.git("pull", "-q", "--no-rebase", "--no-edit", remote.name, "main")
      }
      let head = device.replica.repository.gitDirectory.appending("MERGE_HEAD")
      if try FileSystem().exists(head) { story.append("… which stops at a conflict") }
    }
  }

  private func workWithGit() throws {
    guard !users.isEmpty else { return }
    let (index, remote) = (random.below(users.count), random.pick(remotes))
    let did = try users[index].work(with: remote.repository, &random, &ledger)
    story.append("user-\(index) with \(remote.name): \(did)")
  }

  /// Everything that was removed before this moment goes for good.
  private func prune(_ device: SimulatedDevice) throws {
    try tell(device, "prunes") {
      let session = try device.replica.edit("gc")
      let report = try device.replica.prune(before: device.clock.now, session: session)
      story.append("… \(report.paths)")
      guard let commit = report.commit else { return }
      let repository = device.replica.repository
      let before = try repository.contents(
        of: repository.tree(ofCommit: repository.commit(commit).parents.first))
      for path in report.paths { ledger.change(path, from: before[path], to: nil, byHand: false) }
    }
  }

  /// A remote is restored from an older backup, and forgets what came since.
  private func rewind() throws {
    let remote = random.pick(remotes)
    guard let head = try remote.repository.head(),
      let parent = try remote.repository.commit(head).parents.first
    else { return }
    try remote.repository.moveReference(
      "refs/heads/main", from: head, to: parent,
      log: (Signature(name: "backup", email: "backup@localhost", time: 0), "restored"))
    story.append("\(remote.name) is restored from a backup")
  }

  // MARK: The end

  /// Lets everybody exchange until nothing moves any more.
  private func settle() throws {
    story.append("the end:")
    for (index, user) in users.enumerated() {
      story.append("user-\(index): \(try user.push(to: remotes[0].repository, &random))")
    }
    var before: [ObjectID?] = []
    for _ in 0..<12 {
      for device in devices {
        for remote in remotes { try device.sync(remote.name) }
      }
      // Two remotes may rest at different joins of the same commits.
      let heads = try (devices.map(\.replica.repository) + remotes.map(\.repository))
        .map { try $0.head() }
      if heads == before { return }
      before = heads
    }
    throw failure("the devices do not come to rest")
  }

  private func check() throws {
    let trees = Set(try devices.map { try $0.tree() })
    if trees.count != 1 { throw failure("the trees differ: \(trees)") }
    for remote in remotes {
      let tree = try remote.repository.tree(ofCommit: remote.repository.head())
      if tree != trees.first! { throw failure("\(remote.name) has another tree") }
    }
    let contents = try devices[0].replica.repository.contents(of: trees.first!)
    if let complaint = ledger.complaint(about: contents) { throw failure(complaint) }
    for (path, bytes) in contents {
      guard let document = DocumentPath(path), document.kind != nil else { continue }
      do {
        if try Document(bytes: bytes, at: document).canonicalBytes != bytes {
          throw failure("\(path) is not canonical")
        }
      } catch let error as DocumentError {
        throw failure("\(path) does not read: \(error)")
      }
    }
    for path in contents.keys {
      guard case .label(let photo, _) = DocumentPath(path) else { continue }
      let photoPath = DocumentPath.photo(photo).description
      if contents[photoPath] == nil, !ledger.wasRemovedByHand(photoPath) {
        throw failure("\(path) has lost its photo")
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
    }
  }
}
