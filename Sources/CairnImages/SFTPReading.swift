/// Which parts of a file are asked for next, and in which order what comes is taken: a pure value.
///
/// Several parts are on their way at once; they may come in any order, and in pieces.
struct SFTPReading {
  struct Part: Equatable {
    let offset: Int
    let count: Int
  }

  private struct Slot {
    let part: Part
    var bytes: [UInt8] = []
    /// The request that is on its way for what is missing.
    var request: UInt32?

    var missing: Int { part.count - bytes.count }
  }

  /// Parts whose bytes are not taken yet, in the order of the file.
  private var slots: [Slot] = []
  private var position: Int
  private let end: Int
  private let window: Int
  private let partSize: Int

  /// - Parameters:
  ///   - range: What is wanted of the file, in bytes.
  ///   - window: How many parts may be on their way.
  init(_ range: Range<Int>, window: Int, partSize: Int) {
    (position, end) = (range.lowerBound, range.upperBound)
    (self.window, self.partSize) = (window, partSize)
  }

  var isDone: Bool { slots.isEmpty && position == end }

  /// Returns what to ask for next, if anything, and notes that it was asked for by this number.
  mutating func next(_ request: UInt32) -> Part? {
    if let index = slots.firstIndex(where: { $0.request == nil && $0.missing > 0 }) {
      slots[index].request = request
      let slot = slots[index]
      return Part(offset: slot.part.offset + slot.bytes.count, count: slot.missing)
    }
    guard slots.count < window, position < end else { return nil }
    let part = Part(offset: position, count: min(partSize, end - position))
    position += part.count
    slots.append(Slot(part: part, request: request))
    return part
  }

  /// Takes the answer to a request.
  ///
  /// - Throws: ``SFTPAnswer/Malformed`` when it is not what was asked for.
  mutating func came(_ request: UInt32, _ bytes: ArraySlice<UInt8>) throws(SFTPAnswer.Malformed) {
    guard let index = slots.firstIndex(where: { $0.request == request }) else {
      throw SFTPAnswer.Malformed(reason: "it answers what nobody asked")
    }
    guard (1...slots[index].missing).contains(bytes.count) else {
      throw SFTPAnswer.Malformed(reason: "a part of a file has \(bytes.count) bytes")
    }
    slots[index].bytes += bytes
    slots[index].request = nil
  }

  /// Returns the next bytes of the file; nil when they are not here yet.
  mutating func take() -> [UInt8]? {
    guard let first = slots.first, first.missing == 0 else { return nil }
    slots.removeFirst()
    return first.bytes
  }
}
