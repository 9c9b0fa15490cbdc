/// A window of outstanding reads of a file: which parts to request next, and in which order to use
/// them. A pure value.
///
/// Several parts are requested at once; they may arrive in any order, and in pieces.
struct SFTPReadWindow {
  struct Piece: Equatable {
    let offset: Int
    let count: Int
  }

  private struct Slot {
    let part: Piece
    var bytes: [UInt8] = []
    /// The outstanding request for the missing bytes.
    var request: UInt32?

    var missing: Int { part.count - bytes.count }
  }

  /// Parts not yet taken, in the order of the file.
  private var slots: [Slot] = []
  private var position: Int
  private let end: Int
  private let window: Int
  private let partSize: Int

  /// - Parameters:
  ///   - range: The range of the file to read, in bytes.
  ///   - window: Maximum number of outstanding parts.
  init(_ range: Range<Int>, window: Int, partSize: Int) {
    (position, end) = (range.lowerBound, range.upperBound)
    (self.window, self.partSize) = (window, partSize)
  }

  var isDone: Bool { slots.isEmpty && position == end }

  /// Returns the next part to request, if any, and records it under this request number.
  mutating func next(_ request: UInt32) -> Piece? {
    if let index = slots.firstIndex(where: { $0.request == nil && $0.missing > 0 }) {
      slots[index].request = request
      let slot = slots[index]
      return Piece(offset: slot.part.offset + slot.bytes.count, count: slot.missing)
    }
    guard slots.count < window, position < end else { return nil }
    let part = Piece(offset: position, count: min(partSize, end - position))
    position += part.count
    slots.append(Slot(part: part, request: request))
    return part
  }

  /// Adds the response to a request.
  ///
  /// - Throws: ``SFTPResponse/Malformed`` when it does not match a request.
  mutating func came(_ request: UInt32, _ bytes: ArraySlice<UInt8>) throws(SFTPResponse.Malformed) {
    guard let index = slots.firstIndex(where: { $0.request == request }) else {
      throw SFTPResponse.Malformed(reason: "unexpected response")
    }
    guard (1...slots[index].missing).contains(bytes.count) else {
      throw SFTPResponse.Malformed(reason: "a part of a file has \(bytes.count) bytes")
    }
    slots[index].bytes += bytes
    slots[index].request = nil
  }

  /// Returns the next bytes of the file; nil when they have not arrived yet.
  mutating func take() -> [UInt8]? {
    guard let first = slots.first, first.missing == 0 else { return nil }
    slots.removeFirst()
    return first.bytes
  }
}
