public import CairnDocument

// Editors, scripts and git itself change documents without moving their stamps. What one person
// changed so is an edit; what a merge made of two versions is not.

extension JSON {
  /// Returns this version with a new stamp on every register that was changed since `old` without
  /// its stamp being moved: what a person did in an editor, or `git revert`, counts as an edit.
  ///
  /// What says the same under an earlier stamp is no edit. A member that is gone is put back: a field
  /// can be emptied, never unsaid.
  /// - Parameter stamp: Returns a stamp later than the one given.
  public func stampingEdits(
    since old: JSON, _ stamp: (Stamp) throws -> Stamp
  ) rethrows -> JSON {
    guard self != old, var members = object, let before = old.object else { return self }
    if let replaced = old.register {
      if let own = register {
        if own > replaced { return self }
        members["stamp"] = before["stamp"]
        if members == before { return old }
      }
      members["stamp"] = .string(try stamp(replaced).description)
      return .object(members)
    }
    for (key, previous) in before.members {
      members[key] = try members[key]?.stampingEdits(since: previous, stamp) ?? previous
    }
    return .object(members)
  }

  /// Returns this version with a new stamp on every register that none of some other versions has,
  /// and that says something else than one of them under the very same stamp.
  ///
  /// - Parameter stamp: Returns a stamp later than the one given.
  public func stampingContradictions(
    of others: [JSON], _ stamp: (Stamp) throws -> Stamp
  ) rethrows -> JSON {
    guard !others.contains(self), var members = object else { return self }
    if let own = register {
      guard others.contains(where: { $0.register == own }) else { return self }
      members["stamp"] = .string(try stamp(own).description)
      return .object(members)
    }
    for (key, value) in members.members {
      let values = others.compactMap { $0.object?[key] }
      members[key] = try value.stampingContradictions(of: values, stamp)
    }
    return .object(members)
  }

  /// Returns this join of two versions with what `merge`, made of them by another tool, says later.
  ///
  /// A tool that merges lines may put one side's stamp beside the other side's value, which nobody
  /// said: so only a register with a later stamp than the join's counts, and members of its own.
  public func takingLaterRegisters(of merge: JSON) -> JSON {
    if let own = register {
      return merge.register.map { $0 > own } ?? false ? merge : self
    }
    guard self != merge, var members = object, let others = merge.object else { return self }
    for (key, value) in others.members {
      members[key] = members[key]?.takingLaterRegisters(of: value) ?? value
    }
    return .object(members)
  }

  /// Returns the merge of two versions that come from `base`, register by register.
  ///
  /// What only one side changed is taken as it is, with or without a new stamp. Of what both changed,
  /// a side that did not move its stamp counts as the next edit after the base.
  ///
  /// - Parameter seconds: When the other side was changed, since 1970, where that is known.
  public func merged(with other: JSON, since base: JSON, madeAt seconds: Int64? = nil) -> JSON {
    if self == other || base == other { return self }
    if base == self { return other }
    if let replaced = base.register {
      let next = replaced.successor(by: Stamp.otherTools)
      let theirs = seconds.map { replaced.successorByOtherTools(at: $0) } ?? next
      return stampingEdits(since: base) { _ in next }
        .joined(with: other.stampingEdits(since: base) { _ in theirs })
    }
    guard let mine = object, let theirs = other.object, let before = base.object else {
      return joined(with: other)
    }
    var members = mine.joined(with: theirs)
    for (key, value) in before.members {
      members[key] = (mine[key] ?? value).merged(
        with: theirs[key] ?? value, since: value, madeAt: seconds)
    }
    return .object(members)
  }

  /// The latest stamp of all registers in here.
  public var latestStamp: Stamp? {
    if let register { return register }
    return object?.members.lazy.compactMap(\.value.latestStamp).max()
  }
}
