internal import CairnBase
internal import CairnDocument

// Values stored as numbers.

/// The row key to try first for a photo.
enum PhotoKey {
  /// The first 47 bits of the id: SQLite keeps them in six bytes, and they sort as ids do.
  static func first(of digest: [UInt8]) -> Int64 {
    digest.prefix(6).reduce(0) { $0 << 8 | Int64($1) } >> 1
  }
}

extension Verdict {
  var number: Int64 {
    switch self {
    case .withdrawn: 0
    case .present: 1
    case .absent: 2
    }
  }

  init?(number: Int64) {
    switch number {
    case 0: self = .withdrawn
    case 1: self = .present
    case 2: self = .absent
    default: return nil
    }
  }
}

extension Stamp {
  /// The counter and the replica, which order stamps of the same millisecond.
  var tick: Int64 { Int64(counter) << 32 | Int64(replica.rawValue) }

  init(milliseconds: Int64, tick: Int64) {
    self.init(
      milliseconds: milliseconds, counter: UInt16(truncatingIfNeeded: tick >> 32),
      replica: ReplicaID(rawValue: UInt32(truncatingIfNeeded: tick)))
  }
}

extension CaptureTime {
  /// Milliseconds since 1970 by the camera's clock; nil from the year 9000 on.
  var localMilliseconds: Int64? {
    guard let time = RFC3339(local), time.date.year < 9000 else { return nil }
    // Stamps have no leap seconds.
    return time.milliseconds - (time.second == 60 ? 1000 : 0)
  }
}
