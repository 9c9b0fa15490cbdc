internal import CairnDocument
internal import CairnMerge

extension PhotoEvidence {
  /// Returns the contradictions between photos that look the same: a class confirmed on one of them
  /// but not on another, although people have labeled that one too. Sorted by photo and class.
  ///
  /// - Parameter photos: The photos that look the same, with their labels.
  package static func contradictions(_ photos: [PhotoEvidence]) -> [ReviewItem] {
    var items: [ReviewItem] = []
    for one in photos {
      let others = photos.filter { $0.photo != one.photo }
      let known = one.resolutions.filter { $0.state == .confirmed && $0.classKey != .favorite }
      let classes = others.flatMap { $0.resolutions.filter { $0.state == .confirmed } }
      var seen = Set(known.map(\.classKey)).union([.favorite])
      for there in classes where seen.insert(there.classKey).inserted {
        let here = one.resolution(of: there.classKey)?.state ?? .open
        guard here == .rejected || here != .disputed && !known.isEmpty else { continue }
        let confirmed = others.filter { $0.resolution(of: there.classKey)?.state == .confirmed }
        guard let example = confirmed.min(by: { $0.photo < $1.photo }) else { continue }
        let stamps = confirmed.flatMap { $0.stamps(ofPresent: there.classKey) }
        items.append(
          ReviewItem(
            key: ReviewKey(photo: one.photo, classKey: there.classKey),
            reasons: [
              .duplicate(
                className: there.name, confirmedOn: example.photo,
                isRejectedHere: here == .rejected)
            ], raised: stamps.max() ?? .never))
      }
    }
    return items.sorted {
      ($0.key.photo, $0.key.classKey ?? .favorite) < ($1.key.photo, $1.key.classKey ?? .favorite)
    }
  }

  /// Returns the stamps of people's labels that a class is present.
  private func stamps(ofPresent classKey: ClassKey) -> [Stamp] {
    labels.filter {
      $0.annotator.isHuman && $0.verdict == .present
        && rules.classes.canonicalKey(of: $0.classKey) == classKey
    }.map(\.stamp)
  }
}
