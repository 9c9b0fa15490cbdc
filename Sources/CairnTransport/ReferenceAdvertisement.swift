internal import CairnGit

/// What `git-upload-pack` and `git-receive-pack` say first: the refs there are, and what they can do.
///
/// Source: git's Documentation/gitprotocol-pack.txt, “Reference Discovery”.
struct ReferenceAdvertisement {
  /// A server with more refs than that is not listened to.
  static let referenceLimit = 1_000_000

  /// Nor one that says so much, in bytes.
  static let sizeLimit = 256 << 20

  /// A ref with a longer name, in bytes, is passed over.
  static let nameLimit = 1024

  private(set) var references = RemoteReferences()
  private(set) var capabilities: Set<Substring> = []
  private var isFirst = true
  private var lines = 0
  private var size = 0
  private var headTarget: String?

  /// What the server says instead of its refs.
  struct Refusal: Error { let words: String }

  /// What was said is not an advertisement.
  struct Malformed: Error { let reason: String }

  /// Takes a packet; false after the last.
  mutating func take(_ packet: Packet) throws -> Bool {
    guard let line = packet.line else {
      if let headTarget, references[headTarget] != nil { references.headBranch = headTarget }
      return false
    }
    if isFirst, line == "version 1" { return true }
    if isFirst, line.hasPrefix("ERR ") {
      throw Refusal(words: ServerWords.printable(String(line.dropFirst(4))))
    }
    if isFirst, line.hasPrefix("version ") {
      throw Malformed(reason: "it speaks a version of git's protocol that was not asked for")
    }
    lines += 1
    size += line.utf8.count
    guard lines <= ReferenceAdvertisement.referenceLimit, size <= ReferenceAdvertisement.sizeLimit
    else {
      throw Malformed(
        reason: "it has more than \(ReferenceAdvertisement.referenceLimit) refs")
    }
    // A shallow repository says where its history ends.
    if line.hasPrefix("shallow ") { return true }
    let parts = line.split(separator: "\0", maxSplits: 1)
    // First of all: another kind of repository has names of another length.
    if isFirst {
      try takeCapabilities(parts.count > 1 ? parts[1] : "")
      isFirst = false
    }
    guard let reference = parts.first, reference.utf8.count > 41,
      let id = ObjectID(reference.prefix(40)), reference.dropFirst(40).first == " "
    else { throw Malformed(reason: "it does not speak git's protocol") }
    let name = String(reference.dropFirst(41))
    // HEAD, what tags point to (`^{}`), what other repositories have (`.have`).
    guard name.hasPrefix("refs/"), name.utf8.count <= ReferenceAdvertisement.nameLimit,
      Repository.isReferenceName(name)
    else { return true }
    references.tips[name] = id
    return true
  }

  private mutating func takeCapabilities(_ text: Substring) throws {
    capabilities = Set(text.split(separator: " "))
    if let format = value("object-format"), format != "sha1" {
      throw Malformed(reason: "its objects are named by \(format), which is not supported")
    }
    let heads = capabilities.filter { $0.hasPrefix("symref=HEAD:") }
    headTarget = heads.first.map { String($0.dropFirst("symref=HEAD:".count)) }
  }

  /// Returns what a capability is set to.
  private func value(_ name: String) -> Substring? {
    capabilities.first { $0.hasPrefix(name + "=") }?.dropFirst(name.count + 1)
  }

  /// Returns those of some capabilities that the server has, and our name.
  func agreed(_ wanted: [String]) -> String {
    (wanted.filter { capabilities.contains($0[...]) } + ["agent=cairn"]).joined(separator: " ")
  }
}
