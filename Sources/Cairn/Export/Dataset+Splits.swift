public import CairnDocument
internal import CairnFormats
internal import CairnMerge
internal import CairnStore
internal import CairnSync

/// A recorded split and its name.
public struct SplitRecord: Sendable {
  /// Its name: lower-case letters, digits and hyphens.
  public let name: String
  /// The subsets and their shares.
  public let split: Split
}

extension Split {
  /// Returns the name of the subset that a photo belongs to, such as `train`.
  public func subset(of photo: Photo) -> String { subset(of: photo.id, at: photo.pin.value) }
}

extension Dataset {
  /// Returns the recorded splits, sorted by name.
  public func splits() throws(CairnError) -> [SplitRecord] {
    try translating {
      try replica.manifest().splits.compactMap { name, register in
        register.value.map { SplitRecord(name: name, split: $0) }
      }.sorted { $0.name.precedesInUTF8($1.name) }
    }
  }

  /// Returns the recorded split with a name.
  public func split(named name: String) throws(CairnError) -> Split {
    let known = try splits()
    if let split = known.first(where: { $0.name == name })?.split { return split }
    let names = known.map(\.name).joined(separator: ", ")
    let new = ClassKey(name) == nil ? "standard" : name
    throw CairnError(
      .notFound, "There is no split “\(name)”.",
      hint: names.isEmpty
        ? "Record one: `cairn split add \(new) train=80,val=10,test=10`."
        : "Recorded splits: \(names).")
  }

  /// Records a split under a name, for every clone of the dataset.
  ///
  /// A recorded split cannot be changed: others may have trained with it.
  /// - Returns: Whether it was newly recorded.
  @discardableResult
  public func addSplit(_ name: String, _ split: Split) throws(CairnError) -> Bool {
    try edit("split add") { session in
      guard try canAddSplit(name, split) else { return false }
      var manifest = try replica.manifest(forEditing: true)
      let stamp = manifest.splits[name]?.stamp
      manifest.setSplit(name, Register(split, session.stamp(replacing: stamp)))
      try session.write([.manifest(manifest)])
      return true
    }
  }

  /// Returns whether a split can be recorded under a name; false if it already is.
  ///
  /// - Throws: ``CairnError/Kind/exists`` when the name is that of another split.
  @discardableResult
  public func canAddSplit(_ name: String, _ split: Split) throws(CairnError) -> Bool {
    guard ClassKey(name) != nil else {
      throw CairnError(
        .invalidInput, "“\(name)” cannot be the name of a split.",
        hint: "Use lower-case letters, digits and single hyphens, such as `field-trip`.")
    }
    guard let existing = try splits().first(where: { $0.name == name })?.split else { return true }
    if existing == split { return false }
    throw CairnError(
      .exists,
      "The split “\(name)” already exists and divides photos differently: \(existing.text).",
      hint: "Others may have trained with it; choose another name.")
  }

  /// Removes a recorded split.
  public func removeSplit(_ name: String) throws(CairnError) {
    _ = try split(named: name)
    try edit("split remove") { session in
      var manifest = try replica.manifest(forEditing: true)
      let stamp = manifest.splits[name]?.stamp
      manifest.setSplit(name, Register(nil, session.stamp(replacing: stamp)))
      try session.write([.manifest(manifest)])
    }
  }
}
