internal import Cairn
internal import Synchronization

/// Everything that requests share.
final class ServerState: Sendable {
  let options: ServeOptions
  let library: Library
  let events: EventHub
  let jobs: JobBoard
  let sessions: Sessions
  let page: PageFiles
  let colors: ColorCache
  let previews = PreviewCache()
  let tiles: TileFile?
  /// The user of this device.
  let owner: Person
  private let securityBox: Mutex<Security>
  private let editTime = Mutex(ContinuousClock.now)

  init(
    _ options: ServeOptions, owner: Person, library: Library, sessions: Sessions,
    colors: ColorCache
  ) throws {
    (self.options, self.owner, self.library, self.colors) = (options, owner, library, colors)
    self.sessions = sessions
    page = PageFiles(directory: options.page)
    tiles = try options.map.map { try TileFile($0) }
    events = EventHub(start: Int(options.environment.now()) * 1000)
    jobs = JobBoard(events)
    securityBox = Mutex(Security(port: options.port, hostNames: options.hostNames))
  }

  var security: Security { securityBox.withLock { $0 } }

  /// Sets the port that the system chose.
  func setPort(_ port: Int) {
    securityBox.withLock { $0 = Security(port: port, hostNames: options.hostNames) }
  }

  /// When the last change was made.
  var lastEdit: ContinuousClock.Instant { editTime.withLock { $0 } }

  func noteEdit() { editTime.withLock { $0 = .now } }
}
