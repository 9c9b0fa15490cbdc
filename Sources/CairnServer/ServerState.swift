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
  /// Nil without HTTPS.
  let certificate: ServerCertificate?
  /// The user of this device.
  let owner: Person
  private let securityBox: Mutex<Security>
  private let editTime = Mutex(ContinuousClock.now)

  init(
    _ options: ServeOptions, owner: Person, library: Library, sessions: Sessions,
    colors: ColorCache, certificate: ServerCertificate?
  ) throws {
    self.certificate = certificate
    (self.options, self.owner, self.library, self.colors) = (options, owner, library, colors)
    self.sessions = sessions
    page = PageFiles(directory: options.page)
    tiles = try options.map.map { try TileFile($0) }
    events = EventHub(start: Int(options.environment.now()) * 1000)
    jobs = JobBoard(events)
    securityBox = Mutex(
      Security(
        port: options.port, hostNames: options.hostNames, isSecure: certificate != nil))
  }

  var security: Security { securityBox.withLock { $0 } }

  /// Sets the port that the system chose.
  func setPort(_ port: Int) {
    securityBox.withLock {
      $0 = Security(port: port, hostNames: options.hostNames, isSecure: certificate != nil)
    }
  }

  /// When the last change was made.
  var lastEdit: ContinuousClock.Instant { editTime.withLock { $0 } }

  func noteEdit() { editTime.withLock { $0 = .now } }
}
