import CairnDocument
import CairnMerge
import Testing

@Suite("Merging edits of classes")
struct ClassMergeTests {
  private func joined(_ a: LabelClass, _ b: LabelClass) throws -> LabelClass {
    let joined = a.json.joined(with: b.json)
    #expect(joined == b.json.joined(with: a.json))
    return try LabelClass(json: joined)
  }

  @Test("keeps an alias when another device later creates the same key")
  func aliasBesideNewClass() throws {
    var alias = LabelClass(key: ClassKey("tsuga")!, name: "Tsuga", stamp: at(0, by: 1))
    alias.aliasOf = Register(ClassKey("hemlock"), at(1, by: 1))
    alias.set = Register(ClassKey("conifer"), at(2, by: 1))
    let created = LabelClass(key: ClassKey("tsuga")!, name: "tsuga", stamp: at(1000, by: 2))
    let both = try joined(alias, created)
    #expect(both.aliasOf == alias.aliasOf)
    #expect(both.set == alias.set)
    #expect(both.name.value == "tsuga")
  }

  @Test("keeps a rename, an alias and a set from different devices")
  func differentRegisters() throws {
    let old = LabelClass(key: ClassKey("tsuga")!, name: "Tsuga", stamp: at(0))
    var (renamed, merged, grouped) = (old, old, old)
    renamed.name = Register("Hemlocks", at(1, by: 2))
    merged.aliasOf = Register(ClassKey("hemlock"), at(1, by: 3))
    grouped.set = Register(ClassKey("genus"), at(1, by: 4))
    let all = try joined(try joined(renamed, merged), grouped)
    #expect(all.name == renamed.name)
    #expect(all.aliasOf == merged.aliasOf)
    #expect(all.set == grouped.set)
  }

  @Test("keeps the split of a class when it follows the merge")
  func splitAfterMerge() throws {
    var merged = LabelClass(key: ClassKey("tsuga")!, name: "Tsuga", stamp: at(0))
    merged.aliasOf = Register(ClassKey("hemlock"), at(1))
    var split = merged
    split.aliasOf = Register(nil, at(2, by: 2))
    let both = try joined(merged, split)
    #expect(both.aliasOf == .some(Register(nil, at(2, by: 2))))
    #expect(ClassTable([both]).canonicalKey(of: both.key) == both.key)
  }

  @Test("keeps thresholds of different models set on two devices")
  func thresholds() throws {
    let old = Manifest(id: DatasetID("5e0c92ab71d43f68c0aa")!, name: "a", stamp: at(0))
    var (a, b) = (old, old)
    a.setThreshold(of: "resnet50", Register(Fraction(0.8), at(1, by: 1)))
    b.setThreshold(of: "yolo", Register(Fraction(0.3), at(1, by: 2)))
    b.setThreshold(of: "resnet50", Register(nil, at(0, by: 2)))
    let both = try Manifest(json: a.json.joined(with: b.json))
    #expect(both.json == b.json.joined(with: a.json))
    #expect(both.thresholds.mapValues { $0.value?.value } == ["resnet50": 0.8, "yolo": 0.3])
  }
}
