/// The objects to combine into one pack: all loose objects, and packs starting with the smallest.
///
/// As with `git repack --geometric=2`, each remaining pack holds at least twice as many objects as
/// the next smaller one, including the new pack. So there are never more packs than the object
/// count has binary digits, and an object is packed again only when its pack grows by at least
/// half: as many times as that count has digits, however long the repository lives.
package struct RepackPlan: Equatable, Sendable {
  package let loose: [ObjectID]
  /// The packs to combine, the smallest first.
  package let packs: [ObjectFiles.Pack]

  /// Whether there is nothing to do: packing a single pack again does not improve it.
  package var isEmpty: Bool { loose.isEmpty && packs.count < 2 }

  /// - Parameter byteLimit: The maximum total size in bytes of the packs to pack again.
  package init(_ files: ObjectFiles, byteLimit: Int64 = .max) {
    loose = files.loose
    let sorted = files.packs.filter(\.isReplaceable).sorted {
      ($0.objects, $0.name) < ($1.objects, $1.name)
    }
    // The packs up to the last pair whose object counts are too close.
    var count =
      sorted.indices.dropFirst().last { sorted[$0].objects < 2 * sorted[$0 - 1].objects }
      .map { $0 + 1 } ?? 0
    var total = sorted[..<count].reduce(loose.count) { $0 + $1.objects }
    while count < sorted.count, sorted[count].objects < 2 * total {
      total += sorted[count].objects
      count += 1
    }
    var bytes: Int64 = 0
    packs = Array(
      sorted[..<count].prefix {
        bytes += $0.bytes
        return bytes <= byteLimit
      })
  }
}
