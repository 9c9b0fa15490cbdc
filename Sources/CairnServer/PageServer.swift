package import Cairn
internal import CairnBase
internal import Hummingbird
internal import HummingbirdCore
internal import HummingbirdTLS
internal import LibC
internal import Logging
internal import NIOCore
internal import SystemPackage

/// The local web server of a dataset: its page, and the API that the page uses.
package final class PageServer: Sendable {
  let state: ServerState

  /// The links that open the page, each for one person; each link works once.
  package struct Links: Sendable {
    package let port: Int
    package let owner: String
    package let invited: [Invitation]
    /// The other addresses of this computer, which the links of invited people may name as well.
    package let otherHosts: [String]
    /// The SHA-256 of the certificate, as browsers show it; nil without HTTPS.
    package let fingerprint: String?
    /// The key of a session of the user, for programs: `Authorization: Bearer KEY`.
    package let key: String
  }

  /// The link of a person who was invited.
  package struct Invitation: Sendable {
    package let author: Author
    package let link: String
  }

  /// Opens the dataset and brings its index up to date.
  package init(_ options: ServeOptions) throws {
    returnLargeBlocks()
    Repository.cacheLimit = PageServer.cacheLimit
    let library = try Library(options, workerCount: PageServer.workerCount)
    let dataset = try Dataset(
      at: options.directory, command: options.command, environment: options.environment)
    let me = try? dataset.currentPerson()
    let owner = Person(annotator: me?.annotator, name: me?.name ?? "", author: nil)
    let sessions = Sessions(
      file: dataset.deviceDirectory.appending("sessions"), owner: owner,
      isReadOnly: options.isReadOnly,
      environment: options.environment)
    let certificate = try PageServer.certificate(options, in: dataset.deviceDirectory)
    try library.start(dataset)
    state = try ServerState(
      options, owner: owner, library: library, sessions: sessions,
      colors: ColorCache(directory: dataset.deviceDirectory), certificate: certificate)
  }

  private static func certificate(
    _ options: ServeOptions, in directory: FilePath
  ) throws -> ServerCertificate? {
    switch options.encryption {
    case .none: nil
    case .selfSigned:
      try ServerCertificate(
        selfSignedIn: directory, hosts: ["localhost", "127.0.0.1"] + options.hostNames,
        environment: options.environment)
    case .certificate(let certificate, let key):
      try ServerCertificate(certificate: certificate, key: key)
    }
  }

  /// Maximum size of the git objects that are kept, in bytes: the trees of about 10,000 labels.
  private static let cacheLimit = 32 << 20

  /// Each worker that decodes an image uses a core.
  private static let workerCount = 4

  /// Maximum number of connections of one other computer: a browser opens six.
  private static let addressLimit = 32

  /// Serves until the task is canceled.
  ///
  /// - Parameter onReady: Called when the server accepts connections.
  package func run(onReady: @escaping @Sendable (Links) async -> Void) async throws {
    let options = state.options
    // Both block: one connects, the other one writes a file.
    let (port, key) = try await state.library.work { [state] _ in
      let isTaken = options.allowsOtherPort && !PortCheck.isFree(options.port)
      let key = state.sessions.start(state.owner, isReadOnly: options.isReadOnly)
      return (isTaken ? 0 : options.port, key)
    }
    // Addresses by number do not depend on how names are resolved.
    let host = options.isOnNetwork ? "0.0.0.0" : "127.0.0.1"
    let logger = Logger(label: "cairn.serve") { _ in SwiftLogNoOpLogHandler() }
    let limit = AddressLimit(PageServer.addressLimit)
    let plain = HTTPServerBuilder { responder in
      ClosingChannel(
        base: HTTP1Channel(
          responder: responder,
          configuration: HTTP1Channel.Configuration(
            idleTimeout: .seconds(300),
            httpDecoderConfiguration: .init(
              maxHeaderFieldSize: 48 << 10, maxHeaderListSize: 64 << 10,
              maxHeaderFieldCount: 100))), limit: limit)
    }
    let application = Application(
      responder: PageResponder(server: state, routes: PageServer.routes),
      server: try state.certificate.map {
        try .tls(plain, tlsConfiguration: $0.configuration)
      } ?? plain,
      configuration: ApplicationConfiguration(
        address: .hostname(host, port: port), serverName: nil,
        availableConnectionsDelegate: MaximumAvailableConnections(options.connectionLimit)),
      onServerRunning: { [state] channel in
        state.setPort(channel.localAddress?.port ?? options.port)
        await onReady(PageServer.links(state, key: key))
      }, logger: logger)
    try await withThrowingTaskGroup(of: Void.self) { [state] group in
      group.addTask {
        do {
          try await application.run()
        } catch let error as IOError {
          throw PageServer.error(error, port: options.port)
        }
      }
      group.addTask { await state.jobs.run() }
      group.addTask { await state.events.sendHeartbeats() }
      group.addTask { await Housekeeper(server: state).run() }
      defer { state.events.finish() }
      // The first to end is the application, or fails.
      try await group.next()
      group.cancelAll()
    }
  }

  private static func error(_ error: IOError, port: Int) -> CairnError {
    if error.errnoCode == EADDRINUSE {
      return CairnError(
        .exists, "Port \(port) is in use.",
        hint: "Choose another one with --port; 0 takes a free one.")
    }
    return CairnError(
      .permission,
      "Port \(port) cannot be used: \(String(cString: strerror(error.errnoCode))).",
      hint: "Choose another one with --port; 0 takes a free one.")
  }

  private static func links(_ state: ServerState, key: String) -> Links {
    let port = state.security.port
    func link(_ person: Person, _ host: String) -> String {
      let token = state.sessions.invite(person, isReadOnly: state.options.isReadOnly)
      return "\(state.security.scheme)://\(host):\(port)/?token=\(token)"
    }
    let host = state.options.hostNames.first ?? "127.0.0.1"
    return Links(
      port: port, owner: link(state.owner, "127.0.0.1"),
      invited: state.options.invited.map { author in
        let person = Person(
          annotator: Annotator(email: author.email), name: author.name, author: author)
        return Invitation(author: author, link: link(person, host))
      }, otherHosts: Array(state.options.hostNames.dropFirst()),
      fingerprint: state.certificate?.fingerprint, key: key)
  }

  /// All routes of the API.
  static let routes = RouteTable(
    DocumentRoutes.all + SessionRoutes.all + SetRoutes.all + CompletionRoutes.all + PixelRoutes.all
      + PhotoRoutes.all
      + EditRoutes.all + UndoRoutes.all + ClassRoutes.all + ReviewRoutes.all + MapRoutes.all
      + PinRoutes.all + FetchRoutes.all + TableRoutes.all + ModelRoutes.all + TrainingRoutes.all
      + SimilarityRoutes.all
      + MetricsRoutes.all + UploadRoutes.all + SyncRoutes.all + JobRoutes.all + EventRoutes.all)
}
