public import CairnGit

/// A repository behind git's own protocol, over ssh or http.
///
/// It is spoken in its first version, as pushes are in all: every server knows it, the refs come with
/// the first answer, and one question brings the objects. Source: git's
/// Documentation/gitprotocol-pack.txt.
public final class SmartRemote: GitRemote {
  public let address: String
  private let place: RemoteAddress
  private let context: TransportContext
  /// What the repository calls this remote; nil for one that has no name yet.
  private let name: String?
  private var open:
    (
      direction: GitSettings.Direction, conversation: any Conversation,
      advertisement: ReferenceAdvertisement
    )?

  /// - Throws: ``TransportError`` for a path.
  public init(
    _ address: RemoteAddress, named name: String?, _ context: TransportContext
  ) throws(TransportError) {
    if case .directory(let path) = address {
      throw TransportError(.unsupportedAddress, path, "it is a directory")
    }
    (self.address, place) = (address.withoutSecret, address)
    (self.context, self.name) = (context, name)
  }

  deinit { close() }

  public func references(
    for direction: GitSettings.Direction
  ) throws -> RemoteReferences {
    close()
    let conversation = try connect(GitService(direction))
    var advertisement = ReferenceAdvertisement()
    do {
      try conversation.exchange(nil) { try advertisement.take($0) }
    } catch let refusal as ReferenceAdvertisement.Refusal {
      throw TransportError(.noRepository, address, refusal.words)
    } catch let malformed as ReferenceAdvertisement.Malformed {
      throw TransportError(.protocolViolation, address, malformed.reason)
    }
    open = (direction, conversation, advertisement)
    return advertisement.references
  }

  private func connect(_ service: GitService) throws -> any Conversation {
    switch place {
    case .ssh(let address):
      let setting = service == .uploadPack ? "uploadpack" : "receivepack"
      let program = name.flatMap { context.settings["remote.\($0).\(setting)"] }
      return try SSHConversation(service, at: address, program: program, context)
    case .web(let address):
      return HTTPConversation(service, at: address, remote: name, context)
    case .directory: preconditionFailure("a directory was refused before")
    }
  }

  /// Takes the conversation that is open, or begins one.
  func take(
    _ direction: GitSettings.Direction
  ) throws -> (conversation: any Conversation, advertisement: ReferenceAdvertisement) {
    if open?.direction != direction { _ = try references(for: direction) }
    let (_, conversation, advertisement) = open!
    open = nil
    return (conversation, advertisement)
  }

  public func close() {
    guard let (_, conversation, _) = open else { return }
    open = nil
    conversation.close()
  }
}
