package import CairnGit
internal import SystemPackage

/// A repository reached through git's own protocol, over ssh or http, or with git itself in a
/// directory.
///
/// Uses the first version of the protocol, as all pushes do: every server supports it, the refs
/// come with the first response, and one request fetches the objects. Source: git's
/// Documentation/gitprotocol-pack.txt.
package final class SmartRemote: GitRemote {
  package let address: String
  private let parsedAddress: RemoteAddress
  let context: TransportContext
  /// The remote's name in the repository; nil when it has none yet.
  private let name: String?
  private var open:
    (
      direction: GitSettings.Direction, transport: any GitTransport,
      advertisement: ReferenceAdvertisement
    )?

  /// - Parameter address: A path must be absolute.
  package init(_ address: RemoteAddress, named name: String?, _ context: TransportContext) {
    (self.address, parsedAddress) = (address.withoutSecret, address)
    (self.context, self.name) = (context, name)
  }

  deinit { close() }

  package func references(
    for direction: GitSettings.Direction
  ) throws -> RemoteReferences {
    close()
    let transport = try connect(GitService(direction))
    var advertisement = ReferenceAdvertisement()
    do {
      try transport.exchange(nil) { try advertisement.take($0) }
    } catch let refusal as ReferenceAdvertisement.Refusal {
      throw TransportError(.noRepository, address, refusal.message)
    } catch let incompatible as ReferenceAdvertisement.Incompatible {
      throw TransportError(.incompatible, address, incompatible.reason)
    } catch let malformed as ReferenceAdvertisement.Malformed {
      throw TransportError(.protocolViolation, address, malformed.reason)
    }
    open = (direction, transport, advertisement)
    return advertisement.references
  }

  private func connect(_ service: GitService) throws -> any GitTransport {
    switch parsedAddress {
    case .ssh(let address):
      let setting = service == .uploadPack ? "uploadpack" : "receivepack"
      let program = name.flatMap { context.settings["remote.\($0).\(setting)"] }
      return try ProcessTransport(service, at: address, program: program, context)
    case .web(let address):
      return HTTPTransport(service, at: address, remote: name, context)
    case .directory(let path):
      guard let git = context.git else {
        throw TransportError(.noProgram, address, "git is not installed")
      }
      let command = String(service.rawValue.dropFirst("git-".count))
      return try ProcessTransport(git.path.string, [command, path], at: address, context)
    }
  }

  /// Takes over the open connection, or opens one.
  func take(
    _ direction: GitSettings.Direction
  ) throws -> (transport: any GitTransport, advertisement: ReferenceAdvertisement) {
    if open?.direction != direction { _ = try references(for: direction) }
    let (_, transport, advertisement) = open!
    open = nil
    return (transport, advertisement)
  }

  package func close() {
    guard let (_, transport, _) = open else { return }
    open = nil
    transport.close()
  }
}
