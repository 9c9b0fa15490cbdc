/// A packet of one of three streams that share a connection.
///
/// Source: git's Documentation/gitprotocol-capabilities.txt, “side-band, side-band-64k”.
enum SidebandMessage {
  case content(UnsafeRawBufferPointer)
  /// Text for people: progress and hook output.
  case messages(UnsafeRawBufferPointer)
  /// The other side ended with an error.
  case failure(UnsafeRawBufferPointer)

  /// Reads a packet; nil for one that belongs to no stream.
  init?(_ packet: UnsafeRawBufferPointer) {
    guard let band = packet.first else { return nil }
    let bytes = UnsafeRawBufferPointer(rebasing: packet[1...])
    switch band {
    case 1: self = .content(bytes)
    case 2: self = .messages(bytes)
    case 3: self = .failure(bytes)
    default: return nil
    }
  }
}
