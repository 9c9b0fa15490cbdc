internal import Cairn
internal import CairnBase
internal import CairnFiles
internal import Crypto
internal import NIOSSL
internal import SystemPackage

/// The certificate and the key with which the server answers over HTTPS.
struct ServerCertificate: Sendable {
  let configuration: TLSConfiguration
  /// The SHA-256 of the certificate, as browsers show it: `3F:A9:…`.
  let fingerprint: String

  private init(_ chain: [NIOSSLCertificate], _ key: NIOSSLPrivateKey) throws {
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
    configuration.minimumTLSVersion = .tlsv12
    configuration.applicationProtocols = ["http/1.1"]
    // Fails here, before the server starts, if the key is that of another certificate.
    _ = try NIOSSLContext(configuration: configuration)
    self.configuration = configuration
    fingerprint = SHA256.hash(data: try chain[0].toDERBytes())
      .map { Hex.text([$0]).uppercased() }.joined(separator: ":")
  }

  /// Reads the user's certificate, with those that vouch for it, and its key, as PEM.
  init(certificate: FilePath, key: FilePath) throws {
    do {
      let chain = try NIOSSLCertificate.fromPEMFile(certificate.string)
      guard !chain.isEmpty else { throw NIOSSLError.failedToLoadCertificate }
      self = try ServerCertificate(chain, NIOSSLPrivateKey(file: key.string, format: .pem))
    } catch {
      throw CairnError(
        .invalidInput, "The certificate \(certificate) and its key \(key) cannot be used.",
        hint: "Both must be PEM files, the key without a passphrase, and belong to each other.")
    }
  }

  // MARK: Self-signed

  private static let days: Int64 = 365

  /// Returns the self-signed certificate of earlier servers of this dataset, so that people compare
  /// its fingerprint only once; a new one if there is none, it expires within a month, or other
  /// hosts are wanted.
  ///
  /// - Parameter directory: The dataset's private directory.
  init(
    selfSignedIn directory: FilePath, hosts: [String], environment: Cairn.Environment
  ) throws {
    let path = directory.appending("certificate.json")
    let now = environment.now()
    let wanted = JSON.array(hosts.map { .string($0) })
    if let bytes = try environment.files.read(path, limit: 1 << 16),
      let json = try? JSON(bytes: bytes), json["hosts"] == wanted,
      let end = json["ends"]?.double, Double(now + 30 * 86_400_000) < end,
      let text = json["key"]?.string,
      let der = json["certificate"]?.string.flatMap({ Hex.bytes($0.utf8) }),
      let known = try? ServerCertificate(der, keyPEM: text)
    {
      self = known
      return
    }
    let new = try SelfSignedCertificate(hosts: hosts, from: now, days: ServerCertificate.days)
    let json: JSON = [
      "certificate": .string(Hex.text(new.der)),
      "ends": JSON(Double(now + ServerCertificate.days * 86_400_000)), "hosts": wanted,
      "key": .string(new.key.pemRepresentation),
    ]
    let temporary = FilePath("\(path).new")
    try environment.files.remove(temporary)
    try environment.files.create(
      temporary, Array(json.line.utf8), permissions: [.ownerRead, .ownerWrite])
    try environment.files.rename(temporary, to: path)
    self = try ServerCertificate(new.der, keyPEM: new.key.pemRepresentation)
  }

  private init(_ der: [UInt8], keyPEM: String) throws {
    self = try ServerCertificate(
      [NIOSSLCertificate(bytes: der, format: .der)],
      NIOSSLPrivateKey(bytes: Array(keyPEM.utf8), format: .pem))
  }
}
