internal import CairnBase
internal import CairnGit
internal import CairnProcess

/// The refs and capabilities that `git-upload-pack` and `git-receive-pack` send first.
///
/// Source: git's Documentation/gitprotocol-pack.txt, “Reference Discovery”.
struct ReferenceAdvertisement {
  /// Maximum number of refs to accept.
  static let referenceLimit = 1_000_000

  /// Maximum size of all lines, in bytes.
  static let sizeLimit = 256 << 20

  /// Maximum length of a ref name, in bytes; refs with longer names are skipped.
  static let nameLimit = 1024

  private(set) var references = RemoteReferences()
  private(set) var capabilities: Set<Substring> = []
  private var isFirst = true
  private var lines = 0
  private var size = 0
  private var headTarget: String?

  /// An error that the server sends in place of its refs.
  struct Refusal: Error { let message: String }

  /// A repository of an unsupported kind.
  struct Incompatible: Error { let reason: String }

  /// A reply that is not an advertisement.
  struct Malformed: Error { let reason: String }

  /// Processes a packet; returns false after the last.
  mutating func take(_ packet: Packet) throws -> Bool {
    guard let line = packet.line else {
      if let headTarget, references[headTarget] != nil { references.headBranch = headTarget }
      return false
    }
    if isFirst, line == "version 1" { return true }
    if isFirst, line.hasPrefix("ERR ") {
      throw Refusal(message: ServerMessages.printable(String(line.dropFirst(4))))
    }
    if isFirst, line.hasPrefix("version ") {
      throw Malformed(reason: "it uses a version of git's protocol that was not requested")
    }
    lines += 1
    size += line.utf8.count
    guard lines <= ReferenceAdvertisement.referenceLimit, size <= ReferenceAdvertisement.sizeLimit
    else {
      throw Malformed(
        reason: "it has more than \(ReferenceAdvertisement.referenceLimit) refs")
    }
    if line.hasPrefix("shallow ") {
      guard let end = ObjectID(line.dropFirst("shallow ".count)) else {
        throw Malformed(reason: "it does not speak git's protocol")
      }
      references.historyEnds.insert(end)
      return true
    }
    let parts = line.split(separator: "\0", maxSplits: 1)
    // Check this first: other object formats have IDs of another length.
    if isFirst {
      try takeCapabilities(parts.count > 1 ? parts[1] : "")
      isFirst = false
    }
    guard let reference = parts.first, reference.utf8.count > 41,
      let id = ObjectID(reference.prefix(40)), reference.dropFirst(40).first == " "
    else { throw Malformed(reason: "it does not speak git's protocol") }
    let name = String(reference.dropFirst(41))
    // Skip HEAD, peeled tags (`^{}`) and refs of other repositories (`.have`).
    guard name.hasPrefix("refs/"), name.utf8.count <= ReferenceAdvertisement.nameLimit,
      Repository.isReferenceName(name)
    else { return true }
    references.tips[name] = id
    return true
  }

  private mutating func takeCapabilities(_ text: Substring) throws {
    capabilities = Set(text.split(separator: " "))
    if let format = value("object-format"), format != "sha1" {
      throw Incompatible(reason: "its object format is \(format); cairn supports only sha1")
    }
    let heads = capabilities.filter { $0.hasPrefix("symref=HEAD:") }
    headTarget = heads.first.map { String($0.dropFirst("symref=HEAD:".count)) }
  }

  /// Returns the value of a capability.
  private func value(_ name: String) -> Substring? {
    capabilities.first { $0.hasPrefix(name + "=") }?.dropFirst(name.count + 1)
  }

  /// Returns the wanted capabilities that the server has, and our agent name.
  func agreed(_ wanted: [String]) -> String {
    (wanted.filter { capabilities.contains($0[...]) } + ["agent=cairn"]).joined(separator: " ")
  }
}
