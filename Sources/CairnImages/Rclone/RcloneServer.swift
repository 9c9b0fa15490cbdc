internal import CairnGit
internal import CairnHTTP
internal import CairnProcess
internal import CairnTransport
internal import LibC
internal import Synchronization
internal import SystemPackage

/// A running `rclone serve webdav` for one directory; it ends with this object, and with this
/// process even if that is killed.
///
/// Source: rclone's documentation, “rclone serve webdav”.
final class RcloneServer: Sendable {
  let session: WebDAVSession
  private let process: LineProcess
  private let log: Log

  /// Why it ended; nil while it runs.
  var endReason: String? {
    let output = log.current
    return output.hasEnded ? output.error ?? "rclone exited without a message" : nil
  }

  /// The time that rclone has to start, in seconds: it may have to renew a token.
  private static let timeout = 60

  /// What the program has printed.
  private struct Output {
    var url: String?
    /// Its last line about an error.
    var error: String?
    var hasEnded = false
  }

  private final class Log: Sendable {
    private let output = Mutex(Output())

    var current: Output { output.withLock { $0 } }

    /// Returns the last line about an error, once.
    func takeError() -> String? {
      output.withLock { output in
        defer { output.error = nil }
        return output.error
      }
    }

    func add(_ line: [UInt8]?) {
      output.withLock { output in
        guard let line else { return output.hasEnded = true }
        let text = ServerMessages(line).sentence
        if output.url == nil, let url = RcloneServer.url(in: text) { output.url = url }
        if let error = RcloneServer.error(in: text) { output.error = error }
      }
    }
  }

  init(
    _ location: RcloneAddress, _ program: FilePath, _ context: TransportContext
  ) throws(TransferError) {
    let address = "\(location)"
    let log = Log()
    self.log = log
    let password = (0..<2).map { _ in String(UInt64.random(in: 0 ... .max), radix: 36) }.joined()
    do {
      process = try LineProcess(
        RcloneServer.command(program, "\(location.remote):\(location.path)"),
        environment: RcloneServer.environment(password), listener: log.add)
    } catch {
      throw TransferError(
        TransportError(.noProgram, address, "\(program) cannot be run: \(error)"), scope: .remote)
    }
    let server: WebAddress
    do throws(TransportError) {
      server = try RcloneServer.wait(log, address, context, password)
    } catch {
      process.end(timeout: 0)
      throw TransferError(error, scope: .remote)
    }
    var settings = HTTPSettings()
    (settings.redirects, settings.proxy) = (.none, "")
    settings.isCancelled = context.isCancelled
    // The storage behind it may need any time after it has all bytes. rclone has its own timeouts,
    // and its end closes the connection.
    settings.stallTimeoutSeconds = 0
    var context = context
    // What is configured for servers does not apply to this one.
    context.settings = GitSettings()
    session = WebDAVSession(
      address, server, HTTPAuthenticator(for: server, context), settings, context,
      reason: { log.takeError() })
  }

  deinit { process.end(timeout: 2000) }

  /// Returns the variables that differ from ours: what it prints has to be readable.
  private static func environment(_ password: String) -> [String: String?] {
    [
      "RCLONE_USER": "cairn", "RCLONE_PASS": password, "RCLONE_QUIET": nil, "RCLONE_LOG_LEVEL": nil,
      "RCLONE_USE_JSON_LOG": nil, "RCLONE_SYSLOG": nil,
    ]
  }

  /// Returns the command that serves a directory until its standard input ends.
  ///
  /// rclone does not read its input, so a shell in the background waits for the end. Options come
  /// before the user's variables: with a cache or a dry run, the server would accept what the storage
  /// does not have.
  private static func command(_ program: FilePath, _ directory: String) -> [String] {
    let script = """
      exec 3<&0
      (while read -r _; do :; done; kill "$$") <&3 >/dev/null 2>&1 &
      exec "$@" </dev/null 2>&1 3<&-
      """
    return [
      "/bin/sh", "-c", script, "sh", program.string, "serve", "webdav", "--addr", "127.0.0.1:0",
      "--ask-password=false", "--use-server-modtime", "--dir-cache-time", "10s",
      "--poll-interval", "0", "--vfs-cache-mode", "off", "--dry-run=false", "--read-only=false",
      "--log-file", "", "--", directory,
    ]
  }

  /// Waits until the server listens, and returns its address.
  private static func wait(
    _ log: Log, _ address: String, _ context: TransportContext, _ password: String
  ) throws(TransportError) -> WebAddress {
    for _ in 0..<(timeout * 50) {
      let output = log.current
      if let url = output.url, let server = WebAddress(url),
        let login = WebAddress("http://cairn:\(password)@\(server.hostAndPort)")
      {
        return login
      }
      // An error that it prints may be of an attempt that it repeats.
      if output.hasEnded {
        throw TransportError(
          .unsupportedAddress, address, output.error ?? "rclone exited without a message")
      }
      if context.isCancelled() { throw TransportError(.cancelled, address, "it was stopped") }
      usleep(20_000)
    }
    throw TransportError(.connectionLost, address, "rclone did not start in \(timeout) seconds")
  }

  /// Returns the address that a line reports: “WebDav Server started on http://127.0.0.1:8080/”.
  private static func url(in line: String) -> String? {
    guard line.contains("erver started on"), let start = line.firstRange(of: "http://127.0.0.1:")
    else { return nil }
    return "http://127.0.0.1:" + line[start.upperBound...].prefix { $0.isASCII && $0.isNumber }
  }

  /// Returns the text of a line about an error, without date and level, and without what may be a
  /// signature in a URL.
  private static func error(in line: String) -> String? {
    let marks = ["CRITICAL:", "ERROR :", "Fatal error:", "Failed to ", "Error:"]
    guard let mark = marks.lazy.compactMap({ line.firstRange(of: $0) }).first else { return nil }
    let start = line[mark].hasSuffix(":") ? mark.upperBound : mark.lowerBound
    return line[start...].split(separator: " ")
      .map { $0.contains("://") ? $0.prefix { $0 != "?" } : $0 }.joined(separator: " ")
  }
}
