import CairnBase
import CairnDocument
import CairnMerge
import TestSupport
import Testing

@Suite("Join")
struct JoinTests {
  private func join(_ a: JSON, _ b: JSON) -> JSON {
    let joined = a.joined(with: b)
    #expect(joined == b.joined(with: a))
    return joined
  }

  @Test("picks the value of higher rank, from null up to a register")
  func ranks() {
    let ascending: [JSON] = [
      .null, false, true, -5, 0, 2, 10, "", "B", "a", [], [1], [:], register(.null, at(0)),
    ]
    for (index, low) in ascending.enumerated() {
      for high in ascending[(index + 1)...] where low != [] || high != [1] {
        #expect(join(low, high) == high, "\(low) \(high)")
      }
    }
  }

  @Test("picks one of two arrays whole, the one whose canonical bytes sort last")
  func arrays() {
    // "[\n  1\n]\n" sorts before "[]\n", as a newline does before a bracket.
    #expect(join([], [1]) == [])
    #expect(join([1, 2], [3]) == [3])
    #expect(join([10], [9]) == [9])
  }

  @Test("picks the later register with all its members")
  func laterRegister() {
    let early: JSON = ["stamp": .string(at(1).description), "value": "z", "only": "early"]
    for stamp in [at(2), at(1, 1), at(1, 0, by: 2)] {
      let late: JSON = ["stamp": .string(stamp.description), "value": "a", "other": "late"]
      #expect(join(early, late) == late)
    }
  }

  @Test("picks the register whose canonical bytes sort last when the stamps are equal")
  func tie() {
    #expect(join(register("a", at(1)), register("b", at(1))) == register("b", at(1)))
    #expect(join(register(10, at(1)), register(9, at(1))) == register(9, at(1)))
    // Compared as UTF-8: U+1F332 sorts after U+FF5E, but not in UTF-16.
    #expect(join(register("～", at(1)), register("🌲", at(1))) == register("🌲", at(1)))
    #expect(
      join(register("e\u{301}", at(1)), register("\u{E9}", at(1))) == register("\u{E9}", at(1)))
  }

  @Test("joins objects member by member when their stamps are invalid")
  func invalidStamp() {
    let a: JSON = ["stamp": "2026-02-30T00:00:00.000Z-0000-00000000", "a": 1]
    let b: JSON = ["stamp": "2026-02-31T00:00:00.000Z-0000-00000000", "b": 2]
    #expect(
      join(a, b) == ["stamp": "2026-02-31T00:00:00.000Z-0000-00000000", "a": 1, "b": 2])
    #expect(join(a, register(0, at(0))) == register(0, at(0)))
  }

  @Test("picks the later label with the members that this version does not know")
  func labels() {
    var early = label("human:alice@x", .present, at(1))
    early.extra = ["evidence": ["bark"], "mood": "sure"]
    var late = label("human:alice@x", .withdrawn, confidence: 0.5, at(2))
    late.extra = ["evidence": .null]
    #expect(join(early.json, late.json) == late.json)
    late.stamp = at(1)
    let winner =
      early.canonicalBytes.lexicographicallyPrecedes(late.canonicalBytes) ? late : early
    #expect(join(early.json, late.json) == winner.json)
  }

  @Test("obeys the join laws for labels and picks one of the latest", arguments: UInt64(0)..<64)
  func labelsCommute(seed: UInt64) throws {
    var random = SeededGenerator(seed)
    let labels = (0..<5).map { _ in
      var one = label(
        "human:alice@x", random.pick(Verdict.allCases), confidence: random.pick([0, 0.5, 1]),
        random.stamp())
      if random.chance(50) { one.extra = ["x": random.value(depth: 2)] }
      if random.chance(50) { one.region = random.outline() }
      return one
    }
    #expect(checkJoinLaws(labels.map(\.json)) == nil)
    let all = labels.map(\.json).reduce(JSON.null) { $0.joined(with: $1) }
    let last = try #require(labels.map(\.stamp).max())
    #expect(all["stamp"]?.string == last.description)
    #expect(labels.map(\.json).contains(all))
  }

  @Test("keeps the whole outline of the later label, never points of both")
  func outlines() throws {
    var (early, late) = (label("human:alice@x", at(1)), label("human:alice@x", at(2)))
    func outline(_ points: [(Double, Double)]) -> Region? {
      let ring = points.map { Polygon.Point(x: $0.0, y: $0.1) }
      return Region(id: RegionID("a1b2c3d4")!, polygons: [Polygon(outer: ring)])
    }
    early.region = outline([(0, 0), (1, 0), (1, 1), (0, 1)])
    late.region = outline([(0.5, 0), (1, 0), (0.75, 0.5)])
    #expect(early.name == late.name)
    #expect(join(early.json, late.json) == late.json)
    #expect(join(late.json, early.json) == late.json)
    // A version that does not know outlines moved the box later: the outline is kept, and void.
    var moved = try #require(late.json.object)
    var region = try #require(moved["region"]?.object)
    region["x"] = 0.25
    (moved["region"], moved["stamp"]) = (.object(region), .string(at(3).description))
    let joined = join(.object(moved), late.json)
    #expect(joined == .object(moved))
    let read = try Label(bytes: joined.canonicalBytes)
    #expect(read.region?.polygons == [])
    #expect(read.canonicalBytes == joined.canonicalBytes)
  }

  @Test("keeps the edits of different fields of a photo")
  func differentFields() throws {
    var (ours, theirs) = (photo(), photo())
    ours.title = Register("Hemlock", at(1, by: 1))
    theirs.caption = Register("dark", at(1, by: 2))
    theirs.removed = Register(true, at(2, by: 2))
    let joined = try Photo(json: join(ours.json, theirs.json))
    #expect(joined.title == ours.title)
    #expect(joined.caption == theirs.caption)
    #expect(joined.removed == theirs.removed)
    #expect(joined.source == ours.source)
  }

  @Test("picks the later of removing and restoring")
  func undelete() throws {
    var (removed, restored) = (pin(), pin())
    removed.removed = Register(true, at(5))
    restored.removed = Register(false, at(6))
    #expect(try Pin(json: join(removed.json, restored.json)).removed.value == false)
    restored.removed = Register(false, at(4))
    #expect(try Pin(json: join(removed.json, restored.json)).removed.value == true)
  }

  @Test("joins registers of later versions at any depth")
  func laterVersions() throws {
    var (ours, theirs) = (photo().members, photo().members)
    ours["weather"] = register("alice", at(3))
    theirs["weather"] = register("bob", at(2))
    ours["camera"] = ["lens": register("a", at(1)), "body": register("b", at(1))]
    theirs["camera"] = ["lens": register("c", at(2)), "flash": true]
    theirs["place"] = register(7, at(1))
    let joined = try #require(join(.object(ours), .object(theirs)).object)
    #expect(joined["weather"] == register("alice", at(3)))
    #expect(
      joined["camera"]
        == ["lens": register("c", at(2)), "body": register("b", at(1)), "flash": true])
    #expect(joined["place"] == register(7, at(1)))
    #expect(throws: Never.self) { try Photo(json: .object(joined)) }
  }

  @Test("joins people policy and threshold separately")
  func manifests() throws {
    let base = Manifest(id: DatasetID("5e0c92ab71d43f68c0aa")!, name: "a", stamp: at(0))
    var (ours, theirs) = (base, base)
    ours.people = Register(.unanimous, at(1))
    theirs.threshold = Register(Fraction(0.9)!, at(2))
    let joined = try Manifest(json: join(ours.json, theirs.json))
    #expect(joined.people.value == .unanimous)
    #expect(joined.threshold.value.value == 0.9)
  }

  @Test("joins objects of many different members quickly")
  func manyMembers() {
    func object(_ keys: StrideTo<Int>) -> JSON {
      .object(JSONObject(keys.map { ("\($0)", 0) }))
    }
    let (even, odd) = (
      object(stride(from: 100_000, to: 160_000, by: 2)),
      object(stride(from: 100_001, to: 160_000, by: 2))
    )
    let joined = join(even, odd)
    #expect(joined.object?.members.map(\.key) == (100_000..<160_000).map { "\($0)" })
  }

  @Test("joins two valid documents to a valid document", arguments: UInt64(0)..<64)
  func closed(seed: UInt64) throws {
    var random = SeededGenerator(seed)
    func version() throws -> JSON {
      var one = photo(random.stamp())
      if random.chance(50) { one.title = Register("t\(random.below(3))", random.stamp()) }
      if random.chance(50) { one.removed = Register(true, random.stamp()) }
      if random.chance(50) { one.pin = Register(PinID("8c1f04d7be2a96350e4d"), random.stamp()) }
      var members = one.members
      members["later"] = random.value(depth: 2)
      members["image"] = [
        "bytes": JSON(1 + random.below(3)), "format": random.chance(50) ? "png" : "webp",
        "height": 1, "width": JSON(1 + random.below(3)),
        "stamp": random.chance(50) ? .string(random.stamp().description) : "none",
      ]
      return try Photo(json: .object(members)).json
    }
    let (a, b) = (try version(), try version())
    #expect(throws: Never.self) { try Photo(bytes: join(a, b).canonicalBytes) }
  }
}
