internal import CairnDocument
internal import CairnFiles
internal import CairnLabelers
internal import CairnStore
internal import CairnTraining

extension Dataset {
  /// Returns the features of changed copies of photos, a set for each kind; computes those that are
  /// not cached, on all processors. What was computed stays when it is interrupted.
  ///
  /// A photo whose image cannot be decoded, or is not on this disk, has only copies that are cached.
  func features(
    ofCopies kinds: [Augmentation], of photos: [PhotoID], in space: FeatureSpace
  ) throws -> [FeatureSet] {
    if kinds.isEmpty { return [] }
    var writers = kinds.map { FeatureWriter(featureFile(space, copies: $0)) }
    let indices = try writers.map { try $0.file.index() }
    var found = [Set<PhotoID>](repeating: [], count: kinds.count)
    // By photo, the numbers of kinds.
    var needed: [(photo: PhotoID, numbers: [Int])] = []
    for photo in photos {
      try environment.checkCancellation()
      var numbers: [Int] = []
      for number in kinds.indices {
        if try indices[number].features(of: photo) == nil {
          numbers.append(number)
        } else {
          found[number].insert(photo)
        }
      }
      if !numbers.isEmpty, try directory.blobs.size(of: photo) != nil {
        needed.append((photo, numbers))
      }
    }
    func save() { for number in kinds.indices { writers[number].save() } }
    defer { save() }
    let computer = FeatureComputer(space)
    let (blobs, files) = (directory.blobs, environment.files)
    let count = needed.reduce(0) { $0 + $1.numbers.count }
    var (next, done, failuresInDoubt) = (0, 0, 0)
    try mapInParallel(needed) { photo, numbers in
      Result {
        try files.withMapping(of: blobs.path(of: photo)) {
          try computer.features(of: $0, photo, copies: numbers.map { kinds[$0] })
        }
      }
    } use: { result in
      try environment.checkCancellation()
      let (photo, numbers) = needed[next]
      next += 1
      done += numbers.count
      report("computing features of copies", done, of: count)
      failuresInDoubt = try Dataset.failuresInDoubt(after: result, failuresInDoubt)
      guard let features = try? result.get() else { return }
      for (number, features) in zip(numbers, features) {
        found[number].insert(photo)
        writers[number].add(photo, features)
      }
      if writers.contains(where: \.isFull) { save() }
    }
    save()
    return try kinds.indices.map { number in
      FeatureSet(
        photos.filter(found[number].contains), in: space, missing: [], erased: [], unusable: [],
        uncompared: [], hashes: [:],
        index: needed.isEmpty ? indices[number] : try writers[number].file.index(),
        unsaved: writers[number].unsaved)
    }
  }
}
