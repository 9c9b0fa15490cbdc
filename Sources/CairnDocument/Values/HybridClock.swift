/// A hybrid logical clock: its stamps grow even when the wall clock stops or goes back, and are
/// later than every stamp it has observed.
///
/// It reads no clock itself; the wall time is passed as `now`, in milliseconds since 1970.
package struct HybridClock: Equatable, Sendable {
  package let replica: ReplicaID
  package private(set) var milliseconds: Int64
  package private(set) var counter: UInt16

  /// A stamp further ahead of the wall clock than this comes from a broken clock: edits of it get a
  /// later stamp, and it is reported, but it does not advance this device's clock.
  package static let maximumDrift: Int64 = 24 * 60 * 60 * 1000

  package init(replica: ReplicaID, milliseconds: Int64 = 0, counter: UInt16 = 0) {
    self.replica = replica
    self.milliseconds = milliseconds
    self.counter = counter
  }

  /// Returns a stamp later than all that this clock has created or observed, and than `replaced`.
  package mutating func stamp(now: Int64, replacing replaced: Stamp? = nil) -> Stamp {
    if let replaced { observe(replaced, now: now) }
    advance(to: now)
    let stamp = Stamp(milliseconds: milliseconds, counter: counter, replica: replica)
    if let replaced, replaced >= stamp { return replaced.successor(by: replica) }
    return stamp
  }

  /// Records a stamp from another device; returns false if it is too far in the future to follow.
  @discardableResult
  package mutating func observe(_ stamp: Stamp, now: Int64) -> Bool {
    if stamp.milliseconds > now + HybridClock.maximumDrift { return false }
    if (stamp.milliseconds, stamp.counter) > (milliseconds, counter) {
      (milliseconds, counter) = (stamp.milliseconds, stamp.counter)
    }
    return true
  }

  private mutating func advance(to now: Int64) {
    let now = min(now, Stamp.limit - 1)
    if now > milliseconds {
      (milliseconds, counter) = (now, 0)
    } else if counter < .max {
      counter += 1
    } else {
      (milliseconds, counter) = (min(milliseconds + 1, Stamp.limit - 1), 0)
    }
  }
}

extension Stamp {
  /// The replica of edits that were not made with cairn.
  package static let otherTools = ReplicaID(rawValue: 0)

  /// Returns the stamp of an edit that another tool recorded at a time, in seconds since 1970,
  /// replacing a value with this stamp.
  package func successorByOtherTools(at seconds: Int64) -> Stamp {
    let seconds = min(max(seconds, 0), (Stamp.limit - 1) / 1000)
    return max(
      Stamp(milliseconds: seconds * 1000, counter: 0, replica: Stamp.otherTools),
      successor(by: Stamp.otherTools))
  }

  /// Returns the stamp of an edit, the same on every device and at any time.
  public func successor() -> Stamp { successor(by: Stamp.otherTools) }

  /// Returns the earliest stamp of `replica` that is later than this one, whatever the replicas
  /// are.
  ///
  /// The last valid stamp has no successor; an edit that replaces it ties with it instead.
  package func successor(by replica: ReplicaID) -> Stamp {
    if counter < .max {
      return Stamp(milliseconds: milliseconds, counter: counter + 1, replica: replica)
    }
    let next = milliseconds + 1
    return next < Stamp.limit
      ? Stamp(milliseconds: next, counter: 0, replica: replica)
      : Stamp(milliseconds: milliseconds, counter: counter, replica: replica)
  }
}
