package import CairnDocument

// Editors, scripts and git itself change documents without moving their stamps. A change that one
// person made this way is an edit; the result of a merge of two versions is not.

extension JSON {
  /// Returns this version with a new stamp on every register that was changed since `old` without
  /// moving its stamp: a change made in an editor or by `git revert` counts as an edit.
  ///
  /// A missing member is restored: a field can be emptied, never removed. So are the facts about a
  /// photo's image, which have no stamp.
  /// - Parameter stamp: Returns a stamp later than the one given.
  package func stampingEdits(
    since old: JSON, _ stamp: (Stamp) throws -> Stamp
  ) rethrows -> JSON {
    guard self != old, var members = object, let before = old.object else { return self }
    if let replaced = old.register {
      if let own = register, own > replaced { return self }
      members["stamp"] = .string(try stamp(replaced).description)
      return .object(members)
    }
    for (key, previous) in before.members {
      members[key] = try members[key]?.stampingEdits(since: previous, stamp) ?? previous
    }
    return JSON.object(members).keepingFacts(of: old)
  }

  /// Returns this document with the facts of an earlier version: a photo's image never changes.
  package func keepingFacts(of old: JSON) -> JSON {
    guard self["kind"]?.string == DocumentKind.photo.rawValue, let known = old["image"]?.object,
      var members = object
    else { return self }
    var image = members["image"]?.object ?? [:]
    for (key, value) in known.members { image[key] = value }
    members["image"] = .object(image)
    return .object(members)
  }

  /// Returns the effective version of this one as an edit of `old`, whose own effective version is
  /// `effective`.
  ///
  /// An unchanged register keeps its effective value. A register whose stamp was moved was written
  /// by cairn, perhaps on another branch, and is joined with the one that it replaces. Any other
  /// register was changed by another tool and gets a new stamp, even if it has an earlier value: it
  /// is restored.
  /// - Parameters:
  ///   - history: Returns earlier versions in this history. Called only if a register whose stamp
  ///     was moved would lose.
  ///   - stamp: Returns a stamp later than the one given.
  package func stampingEdits(
    since old: JSON, effective: JSON, history: () throws -> [JSON] = { [] },
    _ stamp: (Stamp) throws -> Stamp
  ) rethrows -> JSON {
    if old == effective { return try stampingEdits(since: effective, stamp) }
    if self == old { return effective }
    guard var members = object, let before = old.object, let known = effective.object else {
      return self
    }
    if let replaced = old.register {
      if let own = register, own > replaced {
        let joined = joined(with: effective)
        if try joined == self || !history().contains(self) { return joined }
      }
      let latest = max(replaced, effective.register ?? replaced)
      members["stamp"] = .string(try stamp(latest).description)
      return .object(members)
    }
    for (key, value) in known.members {
      members[key] =
        try members[key]?.stampingEdits(
          since: before[key] ?? value, effective: value,
          history: { try history().compactMap { $0.object?[key] } }, stamp) ?? value
    }
    return JSON.object(members).keepingFacts(of: effective)
  }

  /// Returns this version with a new stamp on every register that differs from all `others` but has
  /// the same stamp as one of them.
  ///
  /// - Parameter stamp: Returns a stamp later than the one given.
  package func stampingContradictions(
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

  /// Returns this version with a new stamp on every register that none of the `others` has, if it is
  /// not later than theirs.
  ///
  /// - Parameter stamp: Returns a stamp later than the one given.
  package func stampingNew(
    since others: [JSON], _ stamp: (Stamp) throws -> Stamp
  ) rethrows -> JSON {
    guard !others.contains(self), var members = object else { return self }
    if let own = register {
      guard let latest = others.compactMap(\.register).max(), own <= latest else { return self }
      members["stamp"] = .string(try stamp(latest).description)
      return .object(members)
    }
    for (key, value) in members.members {
      members[key] = try value.stampingNew(since: others.compactMap { $0.object?[key] }, stamp)
    }
    return .object(members)
  }

  /// Returns this version with the registers of `other` in place of those that equal `old`, where the
  /// stamps are the same.
  package func taking(_ other: JSON, overEqual old: JSON) -> JSON {
    if let own = register { return self == old && other.register == own ? other : self }
    guard var members = object else { return self }
    for (key, value) in members.members {
      guard let others = other.object?[key], let olds = old.object?[key] else { continue }
      members[key] = value.taking(others, overEqual: olds)
    }
    return .object(members)
  }

  /// Returns this join of two versions, updated with the later registers of `merge`, which another
  /// tool made of the same versions.
  ///
  /// A tool that merges lines may combine one side's stamp with the other side's value, which
  /// nobody wrote. So only registers with a later stamp than the join's count, and members that
  /// only `merge` has.
  package func takingLaterRegisters(of merge: JSON) -> JSON {
    if let own = register {
      return merge.register.map { $0 > own } ?? false ? merge : self
    }
    guard self != merge, var members = object, let others = merge.object else { return self }
    for (key, value) in others.members {
      members[key] = members[key]?.takingLaterRegisters(of: value) ?? value
    }
    return .object(members)
  }

  /// Returns this join of the versions `parents`, updated with the registers that a person changed in
  /// their `merge`, with new stamps.
  ///
  /// Where only one side changed a register since `base`, merging lines leaves its stamp and its value
  /// together, so that a value of neither is an edit, as `git commit --amend` adds to a merge.
  /// - Parameters:
  ///   - parents: Empty if the merge may have lines of other documents.
  ///   - stamp: Returns a stamp later than the one given.
  package func takingEdits(
    of merge: JSON, between parents: [JSON], since base: JSON?, _ stamp: (Stamp) -> Stamp
  ) -> JSON {
    guard let own = register else {
      guard var members = object, let others = merge.object else { return self }
      for (key, value) in others.members {
        members[key] = members[key]?.takingEdits(
          of: value, between: parents.compactMap { $0.object?[key] }, since: base?.object?[key],
          stamp)
      }
      return .object(members)
    }
    let changed = parents.filter { $0 != base }
    guard merge != self, merge.register.map({ $0 <= own }) ?? false, !parents.isEmpty,
      merge != base, !parents.contains(merge), changed.allSatisfy({ $0 == changed[0] }),
      var members = merge.object
    else { return self }
    members["stamp"] = .string(stamp(own).description)
    return .object(members)
  }

  /// Returns the three-way merge of two versions with the ancestor `base`, register by register.
  ///
  /// A register that only one side changed is taken unchanged, with or without a new stamp. If both
  /// changed it, a side that did not move the stamp counts as the next edit after the base.
  ///
  /// - Parameter seconds: When the other side was changed, since 1970, if known.
  package func merged(with other: JSON, since base: JSON, madeAt seconds: Int64? = nil) -> JSON {
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

  /// The latest stamp of all registers in this value.
  package var latestStamp: Stamp? {
    if let register { return register }
    return object?.members.lazy.compactMap(\.value.latestStamp).max()
  }
}
