internal import CairnGit

/// What is asked for, and what is here already.
///
/// Source: git's Documentation/gitprotocol-pack.txt, “Packfile Negotiation”.
struct FetchRequest {
  let tips: [ObjectID]
  let haves: [ObjectID]
  let capabilities: String

  /// It says that it is done at once: the server answers with one `ACK` or `NAK`, and the pack.
  var packets: [UInt8] {
    var packets: [UInt8] = []
    for (index, tip) in tips.enumerated() {
      packets += PacketEncoder.packet(
        "want \(tip)\(index == 0 ? " " + capabilities : "")\n")
    }
    packets += PacketEncoder.flush
    for have in haves { packets += PacketEncoder.packet("have \(have)\n") }
    return packets + PacketEncoder.packet("done\n")
  }
}
