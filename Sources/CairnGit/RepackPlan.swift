/// Which objects to put together into one pack: all that lie loose, and packs from the smallest on.
///
/// As with `git repack --geometric=2`, each pack that stays holds at least twice as many objects as the
/// next smaller one, the new one included. So there are never more packs than the number of objects has
/// binary digits, and an object is packed again only when its pack has at least half as many again
/// come to it: as often as that number has digits, over a life of any length.
public struct RepackPlan: Equatable, Sendable {
  public let loose: [ObjectID]
  /// The smallest first.
  public let packs: [ObjectFiles.Pack]

  /// Nothing to do: a single pack is not made better by packing it again.
  public var isEmpty: Bool { loose.isEmpty && packs.count < 2 }

  /// - Parameter byteLimit: How large the packs may be that are packed again, all together.
  public init(_ files: ObjectFiles, byteLimit: Int64 = .max) {
    loose = files.loose
    let sorted = files.packs.filter(\.isReplaceable).sorted {
      ($0.objects, $0.name) < ($1.objects, $1.name)
    }
    // The packs above the last pair that stands too close.
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
