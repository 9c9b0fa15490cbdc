import CairnDocument
import CairnMerge
import CairnReview
import TestSupport

/// Returns the stamp of a moment on a device.
func at(_ moment: Int64, on replica: UInt32 = 1) -> Stamp {
  Stamp(
    milliseconds: 1_795_000_000_000 + moment, counter: 0, replica: ReplicaID(rawValue: replica))
}

/// Returns a photo id for a number, distributed like a hash.
func photo(_ number: Int) -> PhotoID {
  var random = SeededGenerator(UInt64(number))
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
