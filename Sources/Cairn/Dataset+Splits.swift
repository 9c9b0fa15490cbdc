internal import CairnDocument
internal import CairnMerge
internal import CairnStore
internal import CairnSync

extension Dataset {
  /// Returns the ways to part photos that the dataset knows by name, sorted.
  public func splits() throws(CairnError) -> [(name: String, split: Split)] {
    try translating {
      try replica.manifest().splits.compactMap { name, register in
        register.value.map { (name, $0) }
      }.sorted { $0.name.precedesInUTF8($1.name) }
    }
  }

  /// Returns the way to part photos that has a name.
  public func split(named name: String) throws(CairnError) -> Split {
    let known = try splits()
    if let split = known.first(where: { $0.name == name })?.split { return split }
    let names = known.map(\.name).joined(separator: ", ")
    throw CairnError(
      .notFound, "The dataset knows no split “\(name)”.",
      hint: names.isEmpty
        ? "Record one: `cairn split add \(name) train=80,val=10,test=10`." : "There is \(names).")
  }

  /// Records a way to part photos, for everybody.
  ///
  /// What was recorded stays as it is: others may have trained by it.
  /// - Returns: Whether it was not recorded already.
  @discardableResult
  public func addSplit(_ name: String, _ split: Split) throws(CairnError) -> Bool {
    guard ClassKey(name) != nil else {
      throw CairnError(
        .invalidInput, "“\(name)” cannot be the name of a split.",
        hint: "Lower-case letters, digits and single hyphens, such as `field-trip`.")
    }
    return try edit("split add") { session in
      var manifest = try replica.manifest()
      let standing = manifest.splits[name]
      if let standing = standing?.value {
        if standing == split { return false }
        throw CairnError(
          .exists, "The split “\(name)” parts photos in another way: \(standing.text).",
          hint: "Others may have trained by it; give this one another name.")
      }
      manifest.setSplit(name, Register(split, session.stamp(replacing: standing?.stamp)))
      try session.write([.manifest(manifest)])
      return true
    }
  }

  /// Takes a recorded way to part photos back.
  public func removeSplit(_ name: String) throws(CairnError) {
    _ = try split(named: name)
    try edit("split remove") { session in
      var manifest = try replica.manifest()
      let stamp = manifest.splits[name]?.stamp
      manifest.setSplit(name, Register(nil, session.stamp(replacing: stamp)))
      try session.write([.manifest(manifest)])
    }
  }
}
