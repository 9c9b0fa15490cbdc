import CairnDocument

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
  confidence: Double = 1, region: String? = nil, run: RunID? = nil, _ stamp: Stamp = at(0)
) -> Label {
  Label(
    photo: photoID, classKey: ClassKey(classKey)!, annotator: Annotator(annotator)!,
    verdict: verdict, confidence: confidence,
    region: region.map { Region(id: RegionID($0)!, x: 0, y: 0, width: 1, height: 1)! },
    run: run, stamp: stamp)
}

/// Returns a label of which only the time matters.
func label(_ annotator: String, _ stamp: Stamp) -> Label { label(annotator, .present, stamp) }

func photo() -> Photo {
  Photo(
    id: photoID, image: ImageFacts(format: .jpeg, width: 3, height: 2, bytes: 100), pin: nil,
    source: "a.jpg", stamp: at(0))
}

func pin() -> Pin {
  Pin(
    id: PinID("8c1f04d7be2a96350e4d")!, at: Coordinate(latitude: 1, longitude: 2)!, name: "base",
    stamp: at(0))
}

func labelClass(_ key: String, aliasOf alias: String? = nil, set: String? = nil) -> LabelClass {
  var labelClass = LabelClass(key: ClassKey(key)!, name: key, stamp: at(0))
  if let alias { labelClass.aliasOf = Register(ClassKey(alias), at(1)) }
  if let set { labelClass.set = Register(ClassKey(set), at(1)) }
  return labelClass
}
