internal import CairnBase
internal import CairnGit
internal import CairnHTTP
internal import CairnProcess
internal import Synchronization
internal import SystemPackage

/// A user name and password from git's credential helpers or a terminal prompt.
///
/// They are passed through pipes, never as arguments. Source: git's
/// Documentation/git-credential.txt.
struct Credential: Sendable, CustomStringConvertible, CustomReflectable {
  /// Everything the helper returned, to pass back when it has proved right or wrong.
  private var attributes: [(key: String, value: String)]
  let credentials: HTTPCredentials

  var description: String { "credential" }
  var customMirror: Mirror { Mirror(self, children: []) }

  /// Maximum size of a helper's output, in bytes.
  private static let limit = 64 << 10

  /// Creates the credential of an address, of which no helper knows.
  init(_ credentials: HTTPCredentials) { (attributes, self.credentials) = ([], credentials) }

  /// Asks git, which asks its helpers, and then the terminal if there is one.
  ///
  /// - Throws: ``TransportError`` with `.authentication` when no credentials are available.
  init(for address: WebAddress, _ context: TransportContext) throws {
    guard let git = context.git else {
      throw TransportError(
        .authentication, address.text,
        "authentication required, and git, whose helpers store passwords, is not installed")
    }
    var request = [("protocol", address.scheme), ("host", address.hostAndPort)]
    let path = address.path.drop { $0 == "/" }.percentDecoded
    if !path.isEmpty { request.append(("path", path)) }
    if let user = address.user { request.append(("username", user)) }
    let (status, output, stderrText) = try Credential.run(
      "fill", request, git, context, address.text)
    attributes = output.split(separator: "\n").compactMap { line in
      guard let equals = line.firstIndex(of: "=") else { return nil }
      return (String(line[..<equals]), String(line[line.index(after: equals)...]))
    }
    guard status == 0, let user = attributes.last(where: { $0.key == "username" })?.value,
      let password = attributes.last(where: { $0.key == "password" })?.value
    else {
      throw TransportError(
        .authentication, address.text,
        "authentication required"
          + (stderrText.lines.isEmpty ? "" : " (\(stderrText.sentence))"))
    }
    credentials = HTTPCredentials(user: user, password: password)
  }

  enum Verdict: String { case approve, reject }

  /// Reports to the helpers whether the credentials were right. A failure to report is ignored.
  func report(_ verdict: Verdict, _ context: TransportContext) {
    guard let git = context.git, !attributes.isEmpty else { return }
    _ = try? Credential.run(verdict.rawValue, attributes, git, context, "")
  }

  private static func run(
    _ verb: String, _ attributes: [(key: String, value: String)], _ git: GitProgram,
    _ context: TransportContext, _ address: String
  ) throws -> (status: Int, output: String, stderrText: ServerMessages) {
    // A line feed would begin another attribute, and so might a carriage return for some programs.
    guard !attributes.contains(where: { $0.value.utf8.contains { $0 < 0x20 } }) else {
      throw TransportError(.unsupportedAddress, address, "it contains a control character")
    }
    let lines = attributes.map { "\($0.key)=\($0.value)\n" }.joined() + "\n"
    var changes = GitProgram.environment
    changes["GIT_DIR"] = .some(context.gitDirectory?.string)
    // An empty program for questions also disables those of `core.askPass` and `SSH_ASKPASS`.
    if !context.mayPrompt {
      changes.merge(["GIT_TERMINAL_PROMPT": "0", "GIT_ASKPASS": ""]) { $1 }
    }
    do {
      let child = try ChildProcess(
        git.path.string, ["credential", verb], environment: changes,
        isCancelled: context.isCancelled)
      try Array(lines.utf8).withUnsafeBytes {
        try child.write($0, timeout: context.timeout.first)
      }
      child.closeInput()
      let output = try child.output(limit: limit, timeout: context.timeout.first)
      let status = child.end()
      return (status, String(decoding: output, as: UTF8.self), child.stderrText)
    } catch let failure as ChildProcess.Failure {
      throw TransportError(.authentication, address, "git credential \(verb): \(failure)")
    }
  }
}

/// The credentials accepted in this process, so that the user is not asked twice.
package final class CredentialCache: Sendable {
  private let known = Mutex<[String: Credential]>([:])

  package init() {}

  subscript(address: WebAddress) -> Credential? {
    get { known.withLock { $0[address.withoutPassword] } }
    set { known.withLock { $0[address.withoutPassword] = newValue } }
  }
}
