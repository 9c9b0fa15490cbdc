/// The objects of a pack in the order they were written, with lookup by id: takes 16 bytes less per
/// object than a separate set of ids, of which an import has millions.
struct ObjectTable {
  struct Entry {
    let id: ObjectID
    var checksum: UInt32
    var offset: UInt64
  }

  private(set) var entries: [Entry] = []
  /// Indices into `entries` plus 1; 0 for an empty slot. Ids are already evenly distributed.
  private var slots = [UInt32](repeating: 0, count: 64)

  /// Returns the index of an object; nil when it is not in the table.
  func index(of id: ObjectID) -> Int? {
    let slot = slots[self.slot(for: id)]
    return slot == 0 ? nil : Int(slot) - 1
  }

  /// Adds an object; returns false when it is already in the table.
  mutating func insert(_ entry: Entry) -> Bool {
    if 2 * (entries.count + 1) > slots.count { grow() }
    let slot = slot(for: entry.id)
    guard slots[slot] == 0 else { return false }
    entries.append(entry)
    slots[slot] = UInt32(entries.count)
    return true
  }

  mutating func setLocation(of index: Int, offset: UInt64, checksum: UInt32) {
    entries[index].offset = offset
    entries[index].checksum = checksum
  }

  /// Returns the slot that contains `id`, or the free slot where it belongs.
  private func slot(for id: ObjectID) -> Int {
    let mask = slots.count - 1
    var slot = Int(truncatingIfNeeded: id.hash) & mask
    while slots[slot] != 0, entries[Int(slots[slot]) - 1].id != id { slot = (slot + 1) & mask }
    return slot
  }

  private mutating func grow() {
    slots = [UInt32](repeating: 0, count: 2 * slots.count)
    for (index, entry) in entries.enumerated() { slots[slot(for: entry.id)] = UInt32(index + 1) }
  }
}
