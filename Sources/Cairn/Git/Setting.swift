internal import CairnDocument
internal import CairnGit
internal import CairnSync
internal import CairnTransport

/// A setting that cairn reads from git's configuration.
///
/// Source for the settings that git uses as well: git-config(1).
public struct Setting: Equatable, Sendable {
  /// The key, with a placeholder where it contains a name: `branch.NAME.remote`.
  public let key: String
  /// What it means, as a phrase without a period.
  public let meaning: String
  /// The value that applies when it is not set, as text; empty if there is none.
  public let defaultText: String
  let kind: Kind

  enum Kind { case text, flag, number, rate, email }

  private init(_ key: String, _ meaning: String, _ kind: Kind = .text, default text: String = "") {
    (self.key, self.meaning, self.kind, defaultText) = (key, meaning, kind, text)
  }

  /// All settings, by topic.
  public static let all: [Setting] = [
    Setting("user.name", "your name, recorded with commits"),
    Setting("user.email", "your email address, which identifies your labels", .email),
    Setting(
      "cairn.createClasses", "whether unknown class names create classes without asking", .flag,
      default: "false"),
    Setting("cairn.images", "`none`: pulls fetch no images to this copy", default: "all"),
    Setting(
      "cairn.bwlimit", "the maximum rate of image transfers, in bytes per second: 500K, 2M", .rate),
    Setting("core.pager", "the program that shows long output on a terminal", default: "less"),
    Setting("branch.NAME.remote", "the remote of a branch", default: "origin"),
    Setting("remote.NAME.lfsurl", "the image URL of a remote, for this copy only"),
    Setting("lfs.url", "the image URL of all remotes, for this copy only"),
    Setting("lfs.storage", "the directory in which this copy keeps images", default: "lfs"),
    Setting("remote.NAME.proxy", "the proxy for a remote"),
    Setting(
      "lfs.concurrenttransfers", "the number of connections for images", .number, default: "8"),
    Setting(
      "lfs.sshTransfer",
      "`always`: transfer images over ssh with `git-lfs-transfer`; `never`: without it",
      default: "negotiate"),
    Setting("core.sshCommand", "the program for ssh remotes, with its options", default: "ssh"),
    Setting("ssh.variant", "the kind of that program: ssh, simple, plink, putty, tortoiseplink"),
    Setting("credential.helper", "the program that keeps passwords and tokens"),
    Setting("http.proxy", "the proxy for HTTP and HTTPS"),
    Setting("http.sslCAInfo", "a file with the certificates that are trusted"),
    Setting("http.sslCAPath", "a directory with the certificates that are trusted"),
    Setting("http.sslCert", "the client certificate"),
    Setting("http.sslKey", "the key of the client certificate"),
    Setting(
      "http.sslVerify", "whether server certificates are verified", .flag, default: "true"),
    Setting("http.sslVersion", "`tlsv1.3` requires TLS 1.3"),
    Setting("http.pinnedPubkey", "the public keys of servers that are trusted"),
    Setting("http.extraHeader", "a header that is sent with each request"),
    Setting("http.userAgent", "the User-Agent header", default: "git/2 (cairn)"),
    Setting("http.followRedirects", "`false`: remotes may not redirect"),
    Setting("http.version", "`HTTP/1.1` disables HTTP/2"),
    Setting(
      "http.lowSpeedTime",
      "the seconds after which a transfer slower than `http.lowSpeedLimit` fails", .number),
    Setting("http.lowSpeedLimit", "the minimum transfer rate, in bytes per second", .number),
    Setting(
      "gc.auto", "the number of loose objects at which they are packed; 0 for never", .number,
      default: "6700"),
    Setting(
      "gc.autoPackLimit", "the number of packs at which they are combined", .number, default: "50"),
    Setting("maintenance.auto", "whether objects are packed automatically", .flag, default: "true"),
  ]

  /// Returns the setting with a key, whose section and name may be in any case; nil if cairn reads
  /// no such setting.
  public static func named(_ key: String) -> Setting? { all.first { $0.matches(key) } }

  func matches(_ key: String) -> Bool {
    let (own, other) = (parts(self.key), parts(key))
    guard own.section == other.section, own.name == other.name else { return false }
    // A setting of HTTP may be for some URLs only: `http.https://example.org.proxy`.
    if own.section == "http" { return other.subsection.map { !$0.isEmpty } ?? true }
    return own.subsection == nil
      ? other.subsection == nil : other.subsection.map { !$0.isEmpty } ?? false
  }

  /// Returns a key that matches as it is listed: with what is between section and name, if anything.
  func listed(_ key: String) -> String { parts(key).subsection == nil ? self.key : key }

  /// Returns a value without secrets: the password of a URL or proxy, the contents of a header.
  public func displayed(_ value: String) -> String {
    if key == "http.extraHeader", let colon = value.firstIndex(of: ":") {
      return value[...colon] + " …"
    }
    if value.contains("://") { return RemoteAddress.withoutSecret(value) }
    // A proxy needs no scheme.
    guard let at = value.lastIndex(of: "@"), let colon = value[..<at].firstIndex(of: ":"),
      !value[..<at].contains(where: \.isWhitespace)
    else { return value }
    return String(value[..<colon] + value[at...])
  }

  /// Checks a value to be set.
  ///
  /// - Throws: ``CairnError/Kind/invalidInput``.
  func check(_ value: String) throws(CairnError) {
    var settings = GitSettings()
    settings.entries = [("a.b", value)]
    let isValid =
      switch kind {
      case .text: !value.utf8.contains { $0 < 0x20 }
      case .flag: settings.flag("a.b") != nil
      case .number: GitSettings.number(value).map { $0 >= 0 } ?? false
      case .rate: TransferRate.bytesPerSecond(value) != nil
      case .email: value.contains("@") && Annotator(email: value) != nil
      }
    if isValid { return }
    let expected =
      switch kind {
      case .text: "one line of text"
      case .flag: "true or false"
      case .number: "a number"
      case .rate: "a rate of at least 16K, such as 500K or 2M"
      case .email: "an email address"
      }
    throw CairnError(
      .invalidInput, "“\(value)” is not a valid value for \(key): expected \(expected).")
  }
}

/// Returns a key in the parts that git compares: a section and a name in lower case, and what is
/// between them.
private func parts(_ key: String) -> (section: String, subsection: Substring?, name: String) {
  guard let first = key.firstIndex(of: "."), let last = key.lastIndex(of: ".") else {
    return (key.lowercased(), nil, "")
  }
  return (
    key[..<first].lowercased(), first == last ? nil : key[key.index(after: first)..<last],
    key[key.index(after: last)...].lowercased()
  )
}
