internal import CairnBase
internal import CairnDocument
internal import CairnPhotos
internal import CairnTraining

extension Dataset {
  /// Returns the group of each photo: near duplicates, and photos of a pin if pins are given, are in
  /// one.
  func trainingGroups(
    of photos: [PhotoID], _ features: FeatureSet, pins: [PhotoID: PinID]
  ) throws -> [Int] {
    var sets = DisjointSets(count: photos.count)
    let hashed = photos.indices.compactMap { row in
      features.hash(of: photos[row]).map { (row: row, hash: $0) }
    }
    let alike = CairnPhotos.nearDuplicates(
      hashed.map(\.hash), within: FeatureSet.duplicateDistance)
    for (number, group) in alike.enumerated() {
      report("comparing photos", number, of: alike.count)
      // Photos with similar hashes are mostly in one block, and others are not read.
      let rows = group.map { hashed[$0] }
        .sorted { ($0.hash.bits, $0.row) < ($1.hash.bits, $1.row) }.map(\.row)
      try uniteNearDuplicates(rows, photos, features, &sets)
    }
    var rowByPin: [PinID: Int] = [:]
    for (row, photo) in photos.enumerated() {
      guard let pin = pins[photo] else { continue }
      if let first = rowByPin[pin] { sets.unite(first, row) } else { rowByPin[pin] = row }
    }
    return photos.indices.map { sets.root(of: $0) }
  }

  /// Unites the photos with both similar hashes and similar features, block by block.
  private func uniteNearDuplicates(
    _ rows: [Int], _ photos: [PhotoID], _ features: FeatureSet, _ sets: inout DisjointSets
  ) throws {
    let size = 64
    let blocks = stride(from: 0, to: rows.count, by: size).map {
      rows[$0..<min(rows.count, $0 + size)]
    }
    for (number, left) in blocks.enumerated() {
      var vectors: [[Float]]?
      for right in blocks[number...] {
        try environment.checkCancellation()
        let isWanted = left.contains { first in
          right.contains { second in
            first != second && sets.root(of: first) != sets.root(of: second)
              && features.haveSimilarHashes(photos[first], photos[second])
          }
        }
        guard isWanted else { continue }
        let own = try vectors ?? left.map { try features.direction(of: photos[$0]) }
        vectors = own
        let others = try right.map { try features.direction(of: photos[$0]) }
        for (first, line) in zip(left, products(own, others)) {
          for (second, product) in zip(right, line)
          where features.isSimilar(product)
            && features.haveSimilarHashes(photos[first], photos[second])
          {
            sets.unite(first, second)
          }
        }
      }
    }
  }

  /// Returns the pins of photos that have one.
  func pins(of photos: [PhotoID]) throws -> [PhotoID: PinID] {
    var pins: [PhotoID: PinID] = [:]
    for id in photos { pins[id] = try photo(id).pin.value }
    return pins
  }
}

/// Returns groups numbered from 0 in the order of their first rows.
func renumbered(_ groups: [Int]) -> [Int] {
  var numbers: [Int: Int] = [:]
  return groups.map { group in
    let number = numbers[group] ?? numbers.count
    numbers[group] = number
    return number
  }
}
