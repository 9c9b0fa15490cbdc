package import CairnDocument

/// The join of documents, the same for every kind and for fields that this version does not know:
///
/// - an object with a valid `stamp` is a register: the later stamp wins; if the stamps are equal,
///   the register whose canonical bytes sort last;
/// - two other objects join member by member;
/// - of any other two values, the one that ranks last wins: by type, then by value.
///
/// A label is one register; a pin or a photo is a map of registers.
extension JSON: Joinable {
  package func joined(with other: JSON) -> JSON {
    if self == other { return self }
    switch (register, other.register) {
    case (let mine?, let theirs?):
      if mine == theirs { return canonicallyPrecedes(other) ? other : self }
      return mine < theirs ? other : self
    case (.some, nil): return self
    case (nil, .some): return other
    case (nil, nil): break
    }
    if case .object(let mine) = self, case .object(let theirs) = other {
      return .object(mine.joined(with: theirs))
    }
    return precedes(other) ? other : self
  }

  /// The stamp of a register; nil for any other value.
  var register: Stamp? { self["stamp"]?.string.flatMap { Stamp($0) } }

  private func precedes(_ other: JSON) -> Bool {
    switch (self, other) {
    case (.bool(let a), .bool(let b)): !a && b
    case (.number(let a), .number(let b)): a.precedes(b)
    case (.string(let a), .string(let b)): a.precedesInUTF8(b)
    case (.array, .array): canonicallyPrecedes(other)
    default: rank < other.rank
    }
  }

  private func canonicallyPrecedes(_ other: JSON) -> Bool {
    canonicalBytes.lexicographicallyPrecedes(other.canonicalBytes)
  }

  private var rank: Int {
    switch self {
    case .null: 0
    case .bool: 1
    case .number: 2
    case .string: 3
    case .array: 4
    case .object: 5
    }
  }
}

extension JSONObject: Joinable {
  /// Returns the union of the members; a member that both objects have is joined.
  package func joined(with other: JSONObject) -> JSONObject {
    var result: [Member] = []
    result.reserveCapacity(Swift.max(members.count, other.members.count))
    var (mine, theirs) = (members[...], other.members[...])
    while let a = mine.first, let b = theirs.first {
      if a.key.precedesInUTF8(b.key) {
        result.append(mine.removeFirst())
      } else if b.key.precedesInUTF8(a.key) {
        result.append(theirs.removeFirst())
      } else {
        result.append((a.key, a.value.joined(with: b.value)))
        mine.removeFirst()
        theirs.removeFirst()
      }
    }
    return JSONObject(sorted: result + mine + theirs)
  }
}
