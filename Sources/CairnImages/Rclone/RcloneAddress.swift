package import CairnTransport

/// The URL of an image store in a storage that the rclone program knows: `rclone:remote:path`.
///
/// A dataset shares it with everyone, and rclone runs commands that its own notation for addresses
/// can contain (`:sftp,ssh=…:`). So it names a remote of the user's rclone configuration, and nothing
/// else.
package struct RcloneAddress: Sendable, Equatable, CustomStringConvertible {
  /// The name of a remote in the user's rclone configuration.
  package let remote: String
  /// A directory there.
  package let path: String

  private static let scheme = "rclone:"

  /// Reads a URL; nil if it is one of another kind.
  package init?(_ text: String) throws(RemoteAddress.Malformed) {
    guard text.prefix(RcloneAddress.scheme.count).lowercased() == RcloneAddress.scheme else {
      return nil
    }
    guard !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
      throw RemoteAddress.Malformed(reason: "it contains a control character")
    }
    let parts = text.dropFirst(RcloneAddress.scheme.count)
      .split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, RcloneAddress.isRemote(parts[0]) else {
      throw RemoteAddress.Malformed(
        reason: "“rclone:” is not followed by the name of a remote in your rclone configuration, "
          + "a colon and a path")
    }
    let components = parts[1].split(separator: "/", omittingEmptySubsequences: false)
    guard !components.contains(where: { $0 == "." || $0 == ".." }) else {
      throw RemoteAddress.Malformed(reason: "its path has a component “.” or “..”")
    }
    (remote, path) = (String(parts[0]), String(parts[1]))
  }

  /// Whether a text is the name of a remote. Source: rclone, fs/fspath, `configNameRe`.
  private static func isRemote(_ text: Substring) -> Bool {
    guard let first = text.first, let last = text.last, first != "-", first != " ", last != " "
    else { return false }
    return text.allSatisfy { $0.isLetter || $0.isNumber || "_.+@- ".contains($0) }
  }

  package var description: String { "\(RcloneAddress.scheme)\(remote):\(path)" }
}
