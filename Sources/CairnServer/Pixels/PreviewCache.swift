internal import Cairn
internal import Synchronization

/// The latest previews, up to a total size.
final class PreviewCache: Sendable {
  struct Key: Hashable, Sendable {
    let photo: PhotoID
    let side: Int
  }

  private struct Fields {
    var previews: [Key: [UInt8]] = [:]
    var order: [Key] = []
    var size = 0
  }

  private static let limit = 48 << 20

  private let fields = Mutex(Fields())

  subscript(key: Key) -> [UInt8]? {
    fields.withLock { fields in
      guard let found = fields.previews[key] else { return nil }
      fields.order.removeAll { $0 == key }
      fields.order.append(key)
      return found
    }
  }

  func add(_ jpeg: [UInt8], _ key: Key) {
    fields.withLock { fields in
      if fields.previews[key] != nil { return }
      fields.previews[key] = jpeg
      fields.order.append(key)
      fields.size += jpeg.count
      while fields.size > PreviewCache.limit, !fields.order.isEmpty {
        let oldest = fields.order.removeFirst()
        fields.size -= fields.previews.removeValue(forKey: oldest)?.count ?? 0
      }
    }
  }
}
