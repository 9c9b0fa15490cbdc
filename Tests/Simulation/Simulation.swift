import CairnDocument
import CairnFiles
import CairnGit
import CairnStore
import CairnSync
import Crypto
import Foundation
import SystemPackage

/// Two to eight devices, some people with plain git and a few remotes, driven by one seed.
///
/// Clocks are wrong and jump, syncs are interrupted, repeated and undone, directories are copied.
/// After the final syncs, all copies must be equal and contain every label and edit.
public final class Simulation {
  /// The first violated condition, with the steps that led to it.
  public struct Failure: Error, CustomStringConvertible {
    public let seed: UInt64
    public let problem: String
    public let steps: [String]

    public var description: String {
      """
      seed \(seed): \(problem)
      \(steps.joined(separator: "\n"))
      To replay it: make simulate SEEDS=\(seed)
      """
    }
  }

  let seed: UInt64
  let root: FilePath
  let time = SharedTime()
  var random: SeededRandom
  /// The random numbers of scenarios, which only half of the seeds have.
  var scenarioRandom: SeededRandom
  let hasScenarios: Bool
  /// The random numbers of erasures, which only half of the seeds have.
  var erasureRandom: SeededRandom
  let hasErasures: Bool
  /// The random numbers of erasures of facts, which a quarter of the seeds have.
  var redactionRandom: SeededRandom
  let hasRedactions: Bool
  /// The photos whose positions were certainly erased from the history.
  var erasedPositions: Set<PhotoID> = []
  /// The random numbers of the erasure of a person, which a tenth of the seeds have.
  var personRandom: SeededRandom
  /// The person who may be erased from the history; nil for nobody.
  let erasedPerson: Annotator?
  /// Whether the person was certainly erased.
  var isPersonErased = false
  /// The photos whose images were certainly erased.
  var erased: Set<PhotoID> = []
  /// How many repositories scenarios have created.
  var scenarioCount = 0
  /// How often each of ``actions`` happens.
  let weights: [Int]
  /// The percentage of labels that a model writes.
  let modelShare: Int
  var ledger = Ledger()
  var steps: [String] = []
  var devices: [SimulatedDevice] = []
  var users: [PlainGitUser] = []
  var remotes: [(name: String, repository: Repository, path: FilePath)] = []
  /// The size of each image in bytes.
  static let imageSize = 32
  /// The images of the photos: bytes with the right hash, which need not be pictures.
  let images: [PhotoID: [UInt8]]
  let photos: [PhotoID]
  let pins: [PinID]
  /// A photo that several devices may add independently.
  let newPhoto: PhotoID

  static let classes = ["oak", "elm", "ash"].map { ClassKey($0)! }
  /// A class that several devices may create independently.
  static let newClass = ClassKey("yew")!
  static let people = ["alice", "bob", "carol"].map {
    Annotator("human:\($0)@example.org")!
  }
  static let model = Annotator("model:net@1")!

  /// Runs one seed to its end.
  ///
  /// - Parameter directory: Where to create its temporary files, best in memory.
  /// - Parameter keeps: Whether to keep the files for inspection.
  /// - Returns: The steps, one per line.
  /// - Throws: ``Failure``.
  @discardableResult
  public static func run(
    seed: UInt64, in directory: String, keeps: Bool = false
  ) throws -> [String] {
    let simulation = try Simulation(seed: seed, directory: directory)
    defer { if !keeps { try? FileSystem().removeTree(simulation.root) } }
    do {
      try simulation.start()
      for _ in 0..<(12 + simulation.random.below(24)) {
        try simulation.step()
        try simulation.perhapsPlayScenario()
        try simulation.perhapsErase()
        try simulation.perhapsEraseFacts()
        try simulation.perhapsErasePerson()
      }
      try simulation.syncAll()
      try simulation.check()
      return simulation.steps
    } catch let failure as Failure {
      throw failure
    } catch {
      throw simulation.failure("\(error)")
    }
  }

  private init(seed: UInt64, directory: String) throws {
    self.seed = seed
    var random = SeededRandom(seed)
    weights = Simulation.weights(&random)
    modelShare = random.pick([15, 15, 50])
    self.random = random
    scenarioRandom = SeededRandom(seed ^ 0x5CE7A)
    hasScenarios = scenarioRandom.chance(50)
    erasureRandom = SeededRandom(seed ^ 0xE4A5E)
    hasErasures = erasureRandom.chance(50)
    redactionRandom = SeededRandom(seed ^ 0x4EDAC7)
    hasRedactions = redactionRandom.chance(25)
    personRandom = SeededRandom(seed ^ 0x9E2504)
    erasedPerson = personRandom.chance(30) ? personRandom.pick(Simulation.people) : nil
    root = FilePath(directory).appending(
      "cairn-simulation-\(seed)-\(UInt32.random(in: 0 ... .max))")
    var source = SeededRandom(seed ^ 0x5EED)
    // Few documents cause many conflicts.
    var images: [PhotoID: [UInt8]] = [:]
    func addImage() -> PhotoID {
      let image = (0..<Simulation.imageSize).map { _ in UInt8(source.below(256)) }
      let id = PhotoID(digest: SHA256.hash(data: image))
      images[id] = image
      return id
    }
    photos = (0..<(1 + source.below(3))).map { _ in addImage() }
    pins = (0..<2).map { _ in PinID(random: { source.next() }) }
    newPhoto = addImage()
    self.images = images
    try FileSystem().createDirectory(root)
  }

  func failure(_ problem: String) -> Failure {
    Failure(seed: seed, problem: problem, steps: steps)
  }

  // MARK: Setup

  func start() throws {
    for index in 0..<(1 + random.below(2)) {
      let path = root.appending("remote-\(index).git")
      let repository = try Repository.create(path, bare: true, files: FileSystem())
      remotes.append(("remote-\(index)", repository, path))
    }
    try addDevice { root, name, environment in
      try Replica.create(
        root.appending(name), name: "simulated", command: nil, environment: environment)
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
    for photo in photos {
      try first.replica.directory.write(
        pointer(to: photo).bytes, to: DocumentPath.image(photo, .png).description)
    }
    for remote in remotes { try first.sync(remote.name) }
    for _ in 0..<(1 + random.below(3)) { try clone() }
    for index in 0..<random.below(3) {
      users.append(
        try PlainGitUser(
          "user-\(index).git", in: root, clock: clock(), amendments: amendments(of: index)))
    }
    if let erasedPerson, users.isEmpty {
      let dataset = try first.replica.manifest().id
      let opaque = ErasedPersonID(erasedPerson, salt: dataset.text).annotator
      ledger.expectErasure(of: erasedPerson, replacedBy: opaque)
    }
  }

  /// Returns the random numbers of what a person adds to merges, which only half of the seeds have.
  private func amendments(of user: Int) -> SeededRandom? {
    var random = SeededRandom(seed ^ 0xA3ECB)
    return random.chance(50) ? SeededRandom(random.next() &+ UInt64(user)) : nil
  }

  func pointer(to photo: PhotoID) -> Pointer { Pointer(id: photo, size: Self.imageSize) }

  func clock() -> SkewedClock {
    SkewedClock(time, skew: random.chance(70) ? 0 : skew())
  }

  /// Returns a skew of some hours, rarely of years, ahead or behind.
  func skew() -> Int64 {
    let hours = random.chance(10) ? 20_000 : 30
    return Int64(random.below(2 * hours) - hours) * 3_600_000
  }

  func addDevice(_ open: (FilePath, String, Environment) throws -> Replica) throws {
    let name = "device-\(devices.count)"
    let device = try SimulatedDevice(
      name, isOld: random.chance(25), clock: clock(), seed: random.next()
    ) {
      try open(root, name, $0)
    }
    let known = try device.replica.repository.remoteNames()
    for remote in remotes where !known.contains(remote.name) {
      try device.replica.addRemote(
        remote.name, remote.path.string, creating: false, relativeTo: root)
    }
    devices.append(device)
  }

  func clone() throws {
    let remote = random.pick(remotes)
    try addDevice { root, name, environment in
      var options = TransferOptions()
      options.images = false
      return try Replica.clone(
        remote.path.string, to: root.appending(name), relativeTo: root, command: nil,
        options: options, environment: environment
      ).replica
    }
    steps.append("cloned \(remote.name) to \(devices.last!.name)")
  }

  /// Copies the directory of a device, as a backup or a file manager does.
  func copy() throws {
    let device = random.pick(devices)
    ledger.hasCopies = true
    try addDevice { root, name, environment in
      try FileManager.default.copyItem(
        atPath: device.root.string, toPath: root.appending(name).string)
      return try Replica.open(root.appending(name), environment: environment)
    }
    steps.append("copied \(device.name) to \(devices.last!.name)")
  }
}
