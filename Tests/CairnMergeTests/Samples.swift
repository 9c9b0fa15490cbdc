import CairnBase
import CairnDocument
import TestSupport

extension SeededGenerator {
  /// One of eight stamps, so that two registers often have the same.
  mutating func stamp() -> Stamp {
    Stamp(
      milliseconds: 1_795_000_000_000 + Int64(below(2)), counter: UInt16(below(2)),
      replica: ReplicaID(rawValue: UInt32(below(2))))
  }

  /// A JSON value from few keys and values, so that values collide; includes registers and objects
  /// with an invalid stamp.
  mutating func value(depth: Int = 3) -> JSON {
    switch below(depth > 0 ? 9 : 5) {
    case 0: .null
    case 1: .bool(chance(50))
    case 2: .number(pick([JSONNumber(0), JSONNumber(1.5), JSONNumber(9_007_199_254_740_993)]))
    case 3: .string(pick(["", "a", "e\u{301}", "\u{E9}", "～", "🌲"]))
    case 4: .number(pick([JSONNumber(9_007_199_254_740_992), JSONNumber(-1)]))
    case 5: .array((0..<below(3)).map { _ in value(depth: depth - 1) })
    case 6, 7: .object(register(depth: depth - 1))
    default: .object(object(depth: depth - 1))
    }
  }

  private mutating func object(depth: Int) -> JSONObject {
    var object = JSONObject(
      (0..<below(4)).map { _ in (pick(["a", "b", "c"]), value(depth: depth)) })
    if chance(30) {
      object["stamp"] = pick([
        "", "x", 7, .null, [:], ["stamp": .string(stamp().description)],
        "2026-02-30T00:00:00.000Z-0000-00000000",
      ])
    }
    return object
  }

  private mutating func register(depth: Int) -> JSONObject {
    var register: JSONObject = [
      "stamp": .string(stamp().description), "value": value(depth: depth),
    ]
    if chance(30) { register["note"] = value(depth: depth) }
    return register
  }
}

/// Returns a stamp `milliseconds` after a fixed time.
func at(_ milliseconds: Int64, _ counter: UInt16 = 0, by replica: UInt32 = 1) -> Stamp {
  Stamp(
    milliseconds: 1_795_000_000_000 + milliseconds, counter: counter,
    replica: ReplicaID(rawValue: replica))
}

/// Returns a register as in a document.
func register(_ value: JSON, _ stamp: Stamp) -> JSON {
  ["stamp": .string(stamp.description), "value": value]
}

let photoID = PhotoID(digest: [UInt8](repeating: 0x2a, count: 32))

func label(
  _ annotator: String, _ verdict: Verdict = .present, of classKey: String = "hemlock",
  confidence: Double = 1, region: String? = nil, _ stamp: Stamp = at(0)
) -> Label {
  Label(
    photo: photoID, classKey: ClassKey(classKey)!, annotator: Annotator(annotator)!,
    verdict: verdict, confidence: confidence,
    region: region.map { Region(id: RegionID($0)!, x: 0, y: 0, width: 1, height: 1)! },
    stamp: stamp)
}

/// Returns a label of which only the time matters.
func label(_ annotator: String, _ stamp: Stamp) -> Label { label(annotator, .present, stamp) }

func photo(_ stamp: Stamp = at(0)) -> Photo {
  Photo(
    id: photoID, image: ImageFacts(format: .jpeg, width: 3, height: 2, bytes: 100), pin: nil,
    source: "a.jpg", stamp: stamp)
}

func pin(_ stamp: Stamp = at(0)) -> Pin {
  Pin(
    id: PinID("8c1f04d7be2a96350e4d")!, at: Coordinate(latitude: 1, longitude: 2)!, name: "base",
    stamp: stamp)
}

extension SeededGenerator {
  /// Returns a region with a random outline, always with the same id.
  mutating func outline() -> Region? {
    let ring = (0..<4).map { _ in
      Polygon.Point(x: Double(below(5)) / 4, y: Double(below(5)) / 4)
    }
    var region = Region(id: RegionID("a1b2c3d4")!, polygons: [Polygon(outer: ring)])
    region?.isCrowd = chance(30)
    return region
  }
}
