internal import CairnDocument
internal import CairnTransport

extension SFTPPath {
  /// Maximum size of a command, in bytes, without its last word: Linux allows 128 KiB.
  private static let commandSize = 48 << 10

  /// Returns the images whose files have the SHA-256 that is their name, as `sha256sum` computes it on
  /// the machine, without a transfer of their bytes; nil if it computes none, since many machines with
  /// sftp let nobody run a program.
  ///
  /// - Throws: Only that the caller asked to stop.
  func imagesWithTheirHash(_ images: [ImageObject]) throws -> Set<PhotoID>? {
    var intact: Set<PhotoID>?
    var rest = images[...]
    while !rest.isEmpty {
      var command = "sha256sum --"
      while let image = rest.first, command.utf8.count < SFTPPath.commandSize {
        command += " " + SSHCommand.quoted(path(of: image))
        rest.removeFirst()
      }
      do {
        guard
          case .printed(let output) = try RemoteProgram.run(
            command, at: address, context, mayPrompt: false)
        else { break }
        let lines = output.split(separator: UInt8(ascii: "\n"))
        guard lines.contains(where: { SFTPPath.hash(in: $0) != nil }) else { break }
        intact = (intact ?? []).union(lines.compactMap(SFTPPath.image))
      } catch let error as TransportError {
        if error.kind == .cancelled { throw TransferError(error, scope: .remote) }
        break
      }
    }
    return intact
  }

  /// Returns the hash in a line of `sha256sum`.
  private static func hash(in line: some Collection<UInt8>) -> PhotoID? {
    PhotoID(String(decoding: line.prefix(64), as: UTF8.self))
  }

  /// Returns the image of a line of `sha256sum` if its hash is the name of its file.
  private static func image(_ line: some Collection<UInt8>) -> PhotoID? {
    hash(in: line).flatMap {
      String(decoding: line, as: UTF8.self).hasSuffix("/\($0)") ? $0 : nil
    }
  }
}
