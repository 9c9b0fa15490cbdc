import CairnDocument
import CairnMerge
import GRDB
import Testing

@testable import CairnIndex

@Suite("Incremental index updates")
struct StepwiseTests {
  @Test("equals a new index after step-by-step changes", arguments: UInt64(0)..<12)
  func equalsNew(seed: UInt64) throws {
    var scene = Scene(seed: seed)
    let index = try DatasetIndex.inMemory()
    for step in 0..<150 {
      let path = scene.change()
      try index.write { writer in
        try scene.write(path.map { [$0] } ?? [], to: writer)
        if step % 3 == 0 { try resolve(writer, scene) }
      }
      guard step % 25 == 24 else { continue }
      try index.write { try resolve($0, scene) }
      #expect(try dump(index) == dump(try built(scene, isBulk: seed % 2 == 0)), "step \(step)")
    }
  }

  @Test("knows whether its resolutions are up to date with documents and rules")
  func level() throws {
    var scene = Scene(seed: 5)
    let index = try built(scene, isBulk: true)
    #expect(try index.read { try $0.isResolved(fingerprint: scene.fingerprint) })
    #expect(try !index.read { try $0.isResolved(fingerprint: "others") })
    for _ in 0..<40 {
      guard let path = scene.change(), let document = scene.documents[path] else { continue }
      try index.write { try $0.put(document) }
      let isOfPin = path.kind == .pin
      #expect(try index.read { try $0.isResolved(fingerprint: scene.fingerprint) } == isOfPin)
      try index.write { try resolve($0, scene) }
    }
  }

  @Test("returns labels unchanged, sorted by the names of their documents")
  func labels() throws {
    var scene = Scene(seed: 9)
    for _ in 0..<300 { _ = scene.change() }
    let index = try built(scene, isBulk: true)
    for photo in Scene.photos {
      #expect(try index.read { try $0.labels(of: photo) } == scene.labels(of: photo))
    }
  }

  @Test("returns the points of the map as joins of their tables do")
  func points() throws {
    var count = 0
    for seed in UInt64(0)..<12 {
      var scene = Scene(seed: seed)
      for _ in 0..<300 { _ = scene.change() }
      let index = try built(scene, isBulk: true)
      try index.read { reader in
        let rows = try Row.fetchAll(
          reader.db,
          sql: """
            SELECT photo.key AS key, ifnull(pin.latitude, photoPlace.latitude) AS latitude,
              ifnull(pin.longitude, photoPlace.longitude) AS longitude
            FROM photo LEFT JOIN pin ON pin.key = photo.pin AND pin.removed = 0
            LEFT JOIN photoPlace ON photoPlace.photo = photo.key
            WHERE view = 1 AND (pin.latitude NOT NULL OR photoPlace.latitude NOT NULL)
            ORDER BY photo.key
            """)
        let expected = rows.map {
          PhotoPoint(key: $0["key"], latitude: $0["latitude"], longitude: $0["longitude"])
        }
        #expect(try reader.photoPoints() == expected, "seed \(seed)")
        count += expected.count
        let pins = try reader.pins(of: reader.pinPoints().map(\.key))
        let known = try reader.pins().filter { !$0.removed.value }
        #expect(Set(pins.map(\.pin.id)) == Set(known.map(\.id)), "seed \(seed)")
        let counts = try reader.photoCounts()
        #expect(pins.allSatisfy { $0.photos == counts[$0.pin.id] ?? 0 }, "seed \(seed)")
      }
    }
    #expect(count > 0)
  }

  @Test(
    "resolves photos in batches with the same result as one by one",
    arguments: [1, 255, 256, 257, 512, 513])
  func batches(count: Int) throws {
    let (labels, scene) = labeled(count)
    let (all, single) = (try DatasetIndex.inMemory(), try DatasetIndex.inMemory())
    try single.write { try resolve($0, scene) }
    for index in [all, single] {
      try index.write { writer in
        for label in labels { try writer.put(label) }
        try resolve(writer, scene)
      }
    }
    let tables = try dump(all)
    #expect(tables == (try dump(single)))
    #expect(
      tables.joined().count { $0.contains("text:\"oak\" state:0 confidence:1") } == count,
      "\(tables)")
  }

  @Test("stays unchanged when resolving is stopped")
  func stopped() throws {
    struct Enough: Error {}
    let (labels, scene) = labeled(600)
    let index = try DatasetIndex.inMemory()
    try index.write { writer in for label in labels { try writer.put(label) } }
    let before = try dump(index)
    #expect(throws: Enough.self) {
      try index.write { writer in
        try writer.resolve(scene.rules, fingerprint: scene.fingerprint) { done, _ in
          if done > 0 { throw Enough() }
        }
      }
    }
    #expect(try dump(index) == before)
    try index.write { try resolve($0, scene) }
    #expect(try index.read { try $0.isResolved(fingerprint: scene.fingerprint) })
  }

  @Test("returns pages that add up to the whole list", arguments: [1, 2, 5, 10])
  func pages(limit: Int) throws {
    var scene = Scene(seed: 11)
    for _ in 0..<400 { _ = scene.change() }
    let index = try built(scene, isBulk: true)
    func page(of pin: PinID?, after last: PhotoID?, _ limit: Int) throws -> [PhotoID] {
      try index.read { reader in
        var photos: [PhotoID] = []
        try reader.forEachPhoto(pin: pin, after: last, limit: limit) { photo, _ in
          photos.append(photo.id)
        }
        return photos
      }
    }
    for pin in [nil] + Scene.pins.map(Optional.some) {
      let whole = try page(of: pin, after: nil, 1000)
      var pieces: [PhotoID] = []
      while true {
        let piece = try page(of: pin, after: pieces.last, limit)
        pieces += piece
        if piece.count < limit { break }
      }
      #expect(pieces == whole)
      // A photo that no longer exists still marks a position in the list.
      let gone = PhotoID(digest: [5] + [UInt8](repeating: 0, count: 31))
      #expect(try page(of: pin, after: gone, 1000) == whole.filter { $0 > gone })
    }
  }

  /// Returns a person's labels of `count` photos, all of one class.
  private func labeled(_ count: Int) -> ([Label], Scene) {
    var scene = Scene(seed: 3)
    let labels = (0..<count).map { number in
      Label(
        photo: PhotoID(
          digest: [UInt8(number >> 8), UInt8(number & 255)] + [UInt8](repeating: 0, count: 30)),
        classKey: Scene.classes[0], annotator: Scene.people[0], verdict: .present,
        stamp: scene.stamp())
    }
    return (labels, scene)
  }

  private func resolve(_ writer: IndexWriter, _ scene: Scene) throws {
    var rules = scene.rules
    if rules.people == .dawidSkene {
      rules.consensus = try writer.updateConsensus(rules) { "\($0.bytes.hashValue)" }
    }
    try writer.resolve(rules, fingerprint: scene.fingerprint)
  }

  private func built(_ scene: Scene, isBulk: Bool) throws -> DatasetIndex {
    let index = try DatasetIndex.inMemory()
    try index.write { writer in
      if isBulk { try writer.deferIndexes() }
      for (_, document) in scene.documents.sorted(by: { "\($0.key)" < "\($1.key)" }) {
        try writer.put(document)
      }
      try resolve(writer, scene)
    }
    return index
  }

  /// Returns the contents of all tables, with names instead of keys and without unused keys.
  private func dump(_ index: DatasetIndex) throws -> [[String]] {
    let statements = [
      """
      SELECT hex(photo.id), view, pin.id, removedTime, removedTick, title, has, taken, added, said,
        resolution, hex(photoDocument.document)
      FROM photo LEFT JOIN photoDocument ON photo = photo.key LEFT JOIN pin ON pin.key = photo.pin
      WHERE view > 0 OR said NOT NULL ORDER BY 1
      """,
      """
      SELECT id, name, removed, latitude, longitude, x, y, z, hex(document) FROM pin
      WHERE document NOT NULL ORDER BY 1
      """,
      """
      SELECT class.text, class.name, class.naming, class.removed, class.exclusive, canonical.text,
        hex(class.document)
      FROM class JOIN class canonical ON canonical.key = class.canonical
      WHERE class.document NOT NULL OR class.key IN (SELECT class FROM label) ORDER BY 1
      """,
      "SELECT id, withdrawn, applied, hex(document) FROM run WHERE document NOT NULL ORDER BY 1",
      """
      SELECT text, tag, person, threshold FROM annotator
      WHERE key IN (SELECT annotator FROM label) ORDER BY 1
      """,
      """
      SELECT hex(photo.id), class.text, annotator.text, box, verdict, label.said, tick, confidence,
        run.id, region, words, source
      FROM label JOIN photo ON photo.key = photo JOIN class ON class.key = class
        JOIN annotator ON annotator.key = annotator LEFT JOIN run ON run.key = run ORDER BY 1, 2, 3, 4
      """,
      """
      SELECT hex(photo.id), class.text, state, confidence FROM resolution
        JOIN photo ON photo.key = photo JOIN class ON class.key = class ORDER BY 1, 2
      """,
      """
      SELECT kind, key, fingerprint, hex(estimate) FROM consensus
      WHERE (SELECT value FROM meta WHERE key = 'people') = 'dawid-skene' ORDER BY 1, 2
      """,
      """
      SELECT hex(photo.id), words, camera, author, licence, source FROM photoText
        JOIN photo ON photo.key = photoText.rowid ORDER BY 1
      """,
      "SELECT id, words FROM pinText JOIN pin ON pin.key = pinText.rowid ORDER BY 1",
      """
      SELECT hex(photo.id), words FROM saidText JOIN photo ON photo.key = saidText.rowid ORDER BY 1
      """,
      """
      SELECT hex(photo.id), west, east, south, north, latitude, longitude, x, y, z FROM photoPlace
        JOIN photo ON photo.key = photo ORDER BY 1
      """,
      "SELECT id, west, east, south, north FROM pinPlace JOIN pin ON pin.key = pin ORDER BY 1",
      "SELECT photo FROM stale",
      "SELECT name, sql FROM sqlite_schema WHERE type = 'index' ORDER BY 1",
    ]
    return try index.read { reader in
      try statements.map { try Row.fetchAll(reader.db, sql: $0).map(\.description) }
    }
  }
}
