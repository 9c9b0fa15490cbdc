import CairnDocument
import CairnMerge
import CairnReview

/// Returns the stamp of a moment on a device.
func at(_ moment: Int64, on replica: UInt32 = 1) -> Stamp {
  Stamp(
    milliseconds: 1_795_000_000_000 + moment, counter: 0, replica: ReplicaID(rawValue: replica))
}

/// Returns a photo id for a number, distributed like a hash.
func photo(_ number: Int) -> PhotoID {
  var random = SplitMix(UInt64(number))
  return PhotoID(digest: (0..<32).map { _ in UInt8(truncatingIfNeeded: random.next()) })
}

func key(_ text: String) -> ClassKey { ClassKey(text)! }

/// Returns a label of a person (`ann`) or of a model with its version (`net@1`).
func label(
  _ annotator: String, _ classKey: String, absent: Bool = false, withdrawn: Bool = false,
  of number: Int = 0, _ stamp: Stamp
) -> Label {
  label(
    annotator, classKey, 1, absent: absent, withdrawn: withdrawn, of: number, stamp)
}

func label(
  _ annotator: String, _ classKey: String, _ confidence: Double, absent: Bool = false,
  withdrawn: Bool = false, of number: Int = 0, _ stamp: Stamp
) -> Label {
  Label(
    photo: photo(number), classKey: key(classKey),
    annotator: Annotator(model: annotator) ?? Annotator(email: annotator + "@x.org")!,
    verdict: withdrawn ? .withdrawn : absent ? .absent : .present, confidence: confidence,
    stamp: stamp)
}

func person(_ name: String) -> Annotator { Annotator(email: name + "@x.org")! }

/// Rules with the exclusive set “breed” of beagle and poodle.
let rules = ResolutionRules(
  classes: ClassTable(
    ["beagle", "poodle"].map { name in
      var labelClass = LabelClass(key: key(name), name: name, stamp: at(0))
      labelClass.set = Register(key("breed"), at(0))
      return labelClass
    }))

/// SplitMix64: the same numbers from the same seed on every machine.
struct SplitMix: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
