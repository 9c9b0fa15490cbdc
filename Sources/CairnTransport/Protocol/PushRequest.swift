internal import CairnBase
internal import CairnGit

/// A request to move a ref from one object to another; the pack follows it.
///
/// Source: git's Documentation/gitprotocol-pack.txt, “Reference Update Request and Packfile
/// Transfer”.
struct PushRequest {
  let update: ReferenceUpdate
  let capabilities: String

  var packets: [UInt8] {
    PacketEncoder.packet(
      "\(update.old ?? .zero) \(update.new) \(update.name)\0 \(capabilities)")
      + PacketEncoder.flush
  }
}
