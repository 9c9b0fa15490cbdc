internal import CairnGit

/// Which ref to move, from where to where; the pack follows.
///
/// Source: git's Documentation/gitprotocol-pack.txt, “Reference Update Request and Packfile Transfer”.
struct PushRequest {
  let update: ReferenceUpdate
  let capabilities: String

  var packets: [UInt8] {
    PacketEncoder.packet(
      "\(update.old ?? .zero) \(update.new) \(update.name)\0 \(capabilities)")
      + PacketEncoder.flush
  }
}
