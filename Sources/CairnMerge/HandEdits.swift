public import CairnDocument

extension JSON {
  /// Returns this version with a new stamp on every register that was changed since `old` without
  /// its stamp being moved: what a person did in an editor, or `git revert`, counts as an edit.
  ///
  /// - Parameter stamp: Returns a stamp later than the one given.
  public func stampingEdits(
    since old: JSON, _ stamp: (Stamp) throws -> Stamp
  ) rethrows -> JSON {
    guard self != old, var members = object, let before = old.object else { return self }
    if let replaced = old.register, let own = register {
      if own > replaced { return self }
      members["stamp"] = .string(try stamp(replaced).description)
      return .object(members)
    }
    for (key, value) in members.members {
      if let previous = before[key] {
        members[key] = try value.stampingEdits(since: previous, stamp)
      }
    }
    return .object(members)
  }

  /// The latest stamp of all registers in here.
  public var latestStamp: Stamp? {
    if let register { return register }
    return object?.members.lazy.compactMap(\.value.latestStamp).max()
  }
}
