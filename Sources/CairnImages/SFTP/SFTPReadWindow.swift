/// A window of outstanding reads of a file: which blocks to request next, and in which order to use
/// them. A pure value.
///
/// Several blocks are requested at once; they may arrive in any order, and in pieces.
struct SFTPReadWindow {
  struct Block: Equatable {
    let offset: Int
    let count: Int
  }

  private struct Slot {
    let block: Block
    var bytes: [UInt8] = []
    /// The outstanding request for the missing bytes.
    var request: UInt32?

    var missing: Int { block.count - bytes.count }
  }

  /// Blocks not yet taken, in the order of the file.
  private var slots: [Slot] = []
  private var position: Int
  private let end: Int
  private let window: Int
  private let blockSize: Int

  /// - Parameters:
  ///   - range: The range of the file to read, in bytes.
  ///   - window: Maximum number of outstanding blocks.
  init(_ range: Range<Int>, window: Int, blockSize: Int) {
    (position, end) = (range.lowerBound, range.upperBound)
    (self.window, self.blockSize) = (window, blockSize)
  }

  var isDone: Bool { slots.isEmpty && position == end }

  /// Returns the next block to request, if any, and records it under this request number.
  mutating func next(_ request: UInt32) -> Block? {
    if let index = slots.firstIndex(where: { $0.request == nil && $0.missing > 0 }) {
      slots[index].request = request
      let slot = slots[index]
      return Block(offset: slot.block.offset + slot.bytes.count, count: slot.missing)
    }
    guard slots.count < window, position < end else { return nil }
    let block = Block(offset: position, count: min(blockSize, end - position))
    position += block.count
    slots.append(Slot(block: block, request: request))
    return block
  }

  /// Adds the response to a request.
  ///
  /// - Throws: ``SFTPResponse/Malformed`` when it does not match a request.
  mutating func received(
    _ request: UInt32, _ bytes: ArraySlice<UInt8>
  ) throws(SFTPResponse.Malformed) {
    guard let index = slots.firstIndex(where: { $0.request == request }) else {
      throw SFTPResponse.Malformed(reason: "unexpected response")
    }
    guard (1...slots[index].missing).contains(bytes.count) else {
      throw SFTPResponse.Malformed(reason: "a block of a file has \(bytes.count) bytes")
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
