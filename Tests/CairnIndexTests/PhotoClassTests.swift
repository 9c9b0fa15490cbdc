import CairnDocument
import CairnMerge
import TestSupport
import Testing

@testable import CairnIndex

@Suite("Classes of photos")
struct PhotoClassTests {
  @Test("are the confirmed or else the most confident of those asked for", arguments: UInt64(0)..<6)
  func naive(seed: UInt64) throws {
    var scene = Scene(seed: seed)
    let index = try DatasetIndex.inMemory()
    let classes = Array(Scene.classes.prefix(3))
    for _ in 0..<4 {
      let changed = scene.changes(60)
      try index.write { writer in
        try scene.write(changed, to: writer)
        try writer.resolve(scene.rules, fingerprint: scene.fingerprint)
      }
      try index.read { reader in
        let keys = try reader.photoKeys(of: Scene.photos)
        let found = try reader.photoClasses(among: classes)
        for (key, row) in zip(keys, try reader.rowsIfPresent(of: keys, for: [])) {
          guard let row else { continue }
          let states = row.classes.filter {
            classes.contains($0.classKey) && ($0.state == .confirmed || $0.state == .predicted)
          }
          let best = states.min { rank($0, classes) < rank($1, classes) }
          #expect(found[key]?.index == best.flatMap { classes.firstIndex(of: $0.classKey) })
          #expect(found[key]?.isConfirmed == best.map { $0.state == .confirmed })
        }
        #expect(try reader.photoClasses(among: []).isEmpty)
      }
    }
  }

  private func rank(
    _ state: PhotoRow.ClassState, _ classes: [ClassKey]
  ) -> (Int, Double, Int) {
    (
      state.state == .confirmed ? 0 : 1, -state.confidence,
      classes.firstIndex(of: state.classKey) ?? 0
    )
  }
}
