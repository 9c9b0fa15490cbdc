import CairnDocument
import Foundation
import Testing

@Suite("Optional registers")
struct OptionalRegisterTests {
  private let created = Stamp("2026-11-20T09:00:00.000Z-0000-00000001")!
  private let edited = Stamp("2026-11-21T09:00:00.000Z-0000-00000002")!

  @Test("omits the alias and the set of a new class")
  func newClass() {
    let labelClass = LabelClass(key: ClassKey("oak")!, name: "Oak", stamp: created)
    #expect(labelClass.aliasOf == nil && labelClass.set == nil)
    #expect(
      labelClass.members.members.map(\.key) == ["key", "kind", "name", "parent", "removed"])
  }

  @Test("writes only the edited register and reads it back, even if it is null")
  func editedClass() throws {
    let old = LabelClass(key: ClassKey("oak")!, name: "Oak", stamp: created)
    var labelClass = old
    labelClass.aliasOf = Register(ClassKey("tree"), edited)
    #expect(labelClass.members["set"] == nil)
    labelClass.set = Register(nil, edited)
    for (key, value) in old.members.members { #expect(labelClass.members[key] == value) }
    let read = try LabelClass(bytes: labelClass.canonicalBytes)
    #expect(read == labelClass)
    #expect(read.aliasOf?.value?.text == "tree" && read.aliasOf?.stamp == edited)
    #expect(read.set?.stamp == edited && read.set?.value == nil)
  }

  @Test(
    "rejects an alias or a set that is not a register with a class key or null",
    arguments: ["aliasOf", "set"])
  func wrongMembers(member: String) throws {
    let members = LabelClass(key: ClassKey("oak")!, name: "Oak", stamp: created).members
    let stamp = JSON.string(edited.description)
    func isRead(_ value: JSON) -> Bool {
      var members = members
      members[member] = value
      return (try? LabelClass(json: .object(members))) != nil
    }
    #expect(isRead(["stamp": stamp, "value": "tree"]))
    #expect(isRead(["stamp": stamp, "value": .null]))
    let wrong: [JSON] = [
      .null, "tree", [:], ["stamp": stamp], ["stamp": "x", "value": "tree"],
      ["stamp": stamp, "value": "Tree"], ["stamp": stamp, "value": "a b"],
      ["stamp": stamp, "value": 1], ["value": "tree"],
    ]
    for value in wrong { #expect(!isRead(value), "\(value)") }
  }

  @Test("writes models' thresholds once one is set, each as its own register")
  func thresholds() throws {
    var manifest = Manifest(id: DatasetID("5e0c92ab71d43f68c0aa")!, name: "a", stamp: created)
    let before = manifest.members
    #expect(manifest.thresholds.isEmpty && manifest.members["policy"]?["thresholds"] == nil)
    manifest.setThreshold(of: "resnet50", Register(Fraction(0.8), edited))
    manifest.setThreshold(of: "stamp", Register(nil, edited))
    let read = try Manifest(bytes: manifest.canonicalBytes)
    #expect(read == manifest)
    #expect(read.thresholds["resnet50"] == Register(Fraction(0.8), edited))
    #expect(read.thresholds["stamp"] == .some(Register(nil, edited)))
    #expect(read.thresholds.count == 2)
    for key in ["people", "threshold"] {
      #expect(read.members["policy"]?[key] == before["policy"]?[key])
    }
    manifest.people = Register(.latest, edited)
    #expect(try Manifest(bytes: manifest.canonicalBytes).thresholds == read.thresholds)
  }

  @Test("keeps one threshold of a model whose name is written in two encodings")
  func encodings() throws {
    var manifest = Manifest(id: DatasetID("5e0c92ab71d43f68c0aa")!, name: "a", stamp: created)
    for (name, threshold) in [("mod\u{E9}le", 0.8), ("mode\u{301}le", 0.2)] {
      manifest.setThreshold(of: name, Register(Fraction(threshold), edited))
    }
    let read = try Manifest(bytes: manifest.canonicalBytes)
    #expect(read.thresholds == ["mod\u{E9}le": Register(Fraction(0.2), edited)])
    #expect(read.members["policy"]?["thresholds"]?.object?.members.count == 1)
  }

  @Test("accepts only fractions and null as thresholds")
  func wrongThresholds() throws {
    let manifest = Manifest(id: DatasetID("5e0c92ab71d43f68c0aa")!, name: "a", stamp: created)
    let stamp = JSON.string(edited.description)
    func isRead(_ thresholds: JSON) -> Bool {
      var members = manifest.members
      var policy = members["policy"]?.object ?? [:]
      policy["thresholds"] = thresholds
      members["policy"] = .object(policy)
      return (try? Manifest(json: .object(members))) != nil
    }
    #expect(isRead([:]))
    #expect(isRead(["m": ["stamp": stamp, "value": 0.5], "n": ["stamp": stamp, "value": .null]]))
    let wrong: [JSON] = [
      .null, [], 0.5, ["m": 0.5], ["m": ["stamp": stamp, "value": 1.5]],
      ["m": ["stamp": stamp, "value": "0.5"]], ["m": ["stamp": stamp]], ["m": .null],
    ]
    for value in wrong { #expect(!isRead(value), "\(value)") }
  }
}
