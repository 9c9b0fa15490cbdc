internal import CairnBase
internal import CairnGit

/// A request for objects, with the commits that are already here.
///
/// Source: git's Documentation/gitprotocol-pack.txt, “Packfile Negotiation”.
struct FetchRequest {
  let tips: [ObjectID]
  let haves: [ObjectID]
  /// The commits here whose parents are missing.
  let historyEnds: [ObjectID]
  let capabilities: String

  /// The packets end with `done`, so the server responds with one `ACK` or `NAK`, and the pack.
  var packets: [UInt8] {
    var packets: [UInt8] = []
    for (index, tip) in tips.enumerated() {
      packets += PacketEncoder.packet(
        "want \(tip)\(index == 0 ? " " + capabilities : "")\n")
    }
    for end in historyEnds { packets += PacketEncoder.packet("shallow \(end)\n") }
    packets += PacketEncoder.flush
    for have in haves { packets += PacketEncoder.packet("have \(have)\n") }
    return packets + PacketEncoder.packet("done\n")
  }
}
