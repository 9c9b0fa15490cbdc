import ArgumentParser
import Cairn
import CairnServer
import CairnTerminal
import Dispatch
import LibC
import Synchronization
import SystemPackage

struct Serve: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Open the dataset as a page in the browser.",
    discussion: HelpText.paragraphs(
      """
      Shows the photos as a grid, on a map, in a table and one by one, for labeling and review. The
      page is built into this program and needs no network. Only this computer can connect, unless
      --lan is given. Each link works once and starts a session for one person. Ctrl-C ends the
      server; every change that the page has confirmed is on the disk.

      With --lan, each --invite prints a link and a QR code for one person, whose labels carry their
      name. Connections use HTTPS, with the certificate that --certificate and --private-key give.
      Without them, the server uses a self-signed certificate, and browsers show a warning: compare
      the fingerprint that the browser shows with the printed one, then accept the certificate.

      EXAMPLES
        cairn serve
        cairn serve --map ~/maps/highlands.mbtiles
        cairn serve --lan --invite "Bob <bob@example.org>" --invite "Eve <eve@example.org>"
      """))

  @Option(help: "The port (default: 8642, or any free port if it is in use).") var port: Int?
  @Flag(inversion: .prefixedNo, help: "Open the page in the browser.") var open = true
  @Option(
    help: ArgumentHelp("A raster MBTiles file for close-ups of the map.", valueName: "file"))
  var map: String?
  @Flag(help: "Refuse all changes.") var readOnly = false
  @Flag(help: "Let other computers on the network connect.") var lan = false
  @Option(
    help: ArgumentHelp(
      "Print a link for a person; requires --lan. Can be repeated.", valueName: "name <email>"))
  var invite: [String] = []
  @Option(
    help: ArgumentHelp("Serve the page's files from a directory.", visibility: .hidden))
  var page: String?
  @Option(help: ArgumentHelp("A certificate for HTTPS, in PEM format.", valueName: "file"))
  var certificate: String?
  @Option(help: ArgumentHelp("The key of the certificate, in PEM format.", valueName: "file"))
  var privateKey: String?
  @Flag(
    inversion: .prefixedNo,
    help: "Encrypt with HTTPS (default: with --lan, or with a certificate).")
  var https: Bool?
  @OptionGroup var globals: GlobalOptions

  private static let defaultPort = 8642

  func validate() throws {
    if let port, !(0...65535 ~= port) {
      throw ValidationError("--port must be from 0 to 65535.")
    }
    if (certificate == nil) != (privateKey == nil) {
      throw ValidationError("--certificate and --private-key must be given together.")
    }
    if certificate != nil, https == false {
      throw ValidationError("--certificate and --no-https cannot be combined.")
    }
    if !invite.isEmpty, !lan { throw ValidationError("--invite requires --lan.") }
  }

  func run() throws {
    try globals.enter()
    var options = ServeOptions(
      directory: currentDirectory(), onMessage: GlobalOptions.report)
    options.command = ownExecutable()
    options.port = port ?? Serve.defaultPort
    options.allowsOtherPort = port == nil
    options.version = CairnCommand.configuration.version
    options.isReadOnly = readOnly
    options.isOnNetwork = lan
    if let certificate, let privateKey {
      options.encryption = .certificate(Serve.path(certificate), key: Serve.path(privateKey))
    } else if https ?? lan {
      options.encryption = .selfSigned
    }
    options.map = map.map(Serve.path)
    options.page = page.map(Serve.path)
    options.invited = try invite.map(Serve.author)
    if lan { options.hostNames = LocalAddresses.all() }
    try Serve.serve(try PageServer(options), isJSON: globals.json, opens: open && !globals.json)
  }

  private static func path(_ text: String) -> FilePath {
    currentDirectory().pushing(FilePath(text))
  }

  /// Parses `NAME <EMAIL>`.
  private static func author(_ text: String) throws -> Author {
    let parts = text.split(separator: "<", maxSplits: 1).map { String($0).trimmed }
    guard parts.count == 2, !parts[0].isEmpty, parts[1].hasSuffix(">"), parts[1].contains("@")
    else {
      throw CairnError(
        .usage, "“\(text)” is not a person.",
        hint: "Write `--invite \"Bob <bob@example.org>\"`.")
    }
    return Author(name: parts[0], email: String(parts[1].dropLast()).trimmed)
  }

  /// Serves until Ctrl-C. The main thread waits: it is none of those that Swift's tasks share.
  private static func serve(_ server: PageServer, isJSON: Bool, opens: Bool) throws {
    let caught = DispatchSemaphore(value: 0)
    let stopped = DispatchSemaphore(value: 0)
    let ended = DispatchSemaphore(value: 0)
    let signals = [SIGINT, SIGTERM].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setRegistrationHandler { caught.signal() }
      source.setEventHandler { stopped.signal() }
      source.resume()
      return source
    }
    // Until a source is registered, its signal is ignored; the browser may end the server at once.
    for _ in signals { caught.wait() }
    let failure = FailureBox()
    let task = Task {
      do {
        try await server.run { links in print(links, isJSON: isJSON, opens: opens) }
      } catch is CancellationError {
      } catch {
        failure.set(error)
      }
      ended.signal()
      stopped.signal()
    }
    stopped.wait()
    task.cancel()
    ended.wait()
    for source in signals { source.cancel() }
    if let error = failure.error { throw error }
  }

  private static func print(_ links: PageServer.Links, isJSON: Bool, opens: Bool) {
    if isJSON {
      Console.print(json: [
        "fingerprint": JSON(links.fingerprint),
        "hosts": .array(links.otherHosts.map { .string($0) }),
        "invited": .array(
          links.invited.map {
            ["email": .string($0.author.email), "link": .string($0.link)]
          }), "key": .string(links.key), "link": .string(links.owner),
        "port": JSON(links.port),
      ])
      return
    }
    Console.print("Open \(links.owner)")
    for invitation in links.invited {
      Console.print("\(Console.printable(invitation.author.name)): \(invitation.link)")
      if isTerminal(1), let code = QRCode(invitation.link) { print(code) }
    }
    if !links.invited.isEmpty, !links.otherHosts.isEmpty {
      Console.print("Other addresses of this computer: \(links.otherHosts.joined(separator: ", "))")
    }
    if let fingerprint = links.fingerprint {
      Console.print("SHA-256 of the certificate: \(fingerprint)")
    }
    Console.print("Ctrl-C ends the server.")
    // Without a desktop, the person opens the link elsewhere. The server's threads do not wait for
    // the browser.
    if opens { DispatchQueue.global().async { try? DesktopProgram.opener.open(links.owner) } }
  }
}

extension Serve {
  /// Prints a QR code, light on dark whatever the colors of the terminal are.
  private static func print(_ code: QRCode) {
    for line in code.lines {
      Console.write(Console.hasColor ? "\u{1B}[97;40m\(line)\u{1B}[0m\n" : line + "\n")
    }
  }
}

/// The error that ended the server.
private final class FailureBox: Sendable {
  private let failure = Mutex<(any Error)?>(nil)

  var error: (any Error)? { failure.withLock { $0 } }

  func set(_ error: any Error) { failure.withLock { $0 = error } }
}
