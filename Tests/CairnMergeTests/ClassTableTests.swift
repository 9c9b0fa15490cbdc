import CairnDocument
import CairnMerge
import Testing

@Suite("classes and their aliases")
struct ClassTableTests {
  private func canonical(_ key: String, _ classes: [LabelClass]) -> String {
    ClassTable(classes).canonicalKey(of: ClassKey(key)!).text
  }

  @Test("a chain of aliases leads to its end, also where nobody coined that")
  func chains() {
    let classes = [
      labelClass("a", aliasOf: "b"), labelClass("b", aliasOf: "c"), labelClass("c"),
      labelClass("d", aliasOf: "nowhere"),
    ]
    for key in ["a", "b", "c"] { #expect(canonical(key, classes) == "c") }
    #expect(canonical("d", classes) == "nowhere")
    #expect(canonical("unknown", classes) == "unknown")
    #expect(ClassTable(classes).aliases(of: ClassKey("c")!).map(\.text) == ["a", "b"])
  }

  @Test("an alias that was taken back is a class of its own")
  func undone() {
    var a = labelClass("a", aliasOf: "b")
    a.aliasOf = Register(nil, at(2))
    #expect(canonical("a", [a, labelClass("b")]) == "a")
  }

  @Test("a ring of aliases is the smallest of its keys, seen from anywhere")
  func rings() {
    let ring = [
      labelClass("m", aliasOf: "z"), labelClass("z", aliasOf: "k"), labelClass("k", aliasOf: "m"),
      labelClass("tail", aliasOf: "z"), labelClass("a", aliasOf: "tail"),
    ]
    for key in ["m", "z", "k", "tail", "a"] { #expect(canonical(key, ring) == "k") }
    #expect(canonical("self", [labelClass("self", aliasOf: "self")]) == "self")
    #expect(canonical("q", [labelClass("q", aliasOf: "p"), labelClass("p", aliasOf: "q")]) == "p")
  }

  @Test("any aliases lead somewhere, whatever their order, and from there nowhere else")
  func total() {
    for seed in UInt64(0)..<200 {
      var random = SeededGenerator(seed)
      let keys = (0..<7).map { "c\($0)" }
      let classes = keys.map {
        labelClass($0, aliasOf: random.chance(70) ? random.pick(keys) : nil)
      }
      let table = ClassTable(classes)
      #expect(table == ClassTable(classes.shuffled(using: &random)))
      for key in keys.compactMap({ ClassKey($0) }) {
        let end = table.canonicalKey(of: key)
        #expect(table.canonicalKey(of: end) == end, "seed \(seed)")
        let next = table[key]?.aliasOf?.value ?? key
        #expect(table.canonicalKey(of: next) == end, "seed \(seed)")
      }
    }
  }

  @Test("a ring of many aliases is followed at once")
  func longChain() {
    let count = 20_000
    let classes = (0..<count).map { labelClass("c\($0)", aliasOf: "c\(($0 + 1) % count)") }
    #expect(canonical("c7777", classes) == "c0")
  }

  @Test("the set of an alias is that of the class it leads to")
  func sets() {
    let table = ClassTable([
      labelClass("beagle", set: "breed"), labelClass("beagel", aliasOf: "beagle", set: "typo"),
      labelClass("dog"),
    ])
    #expect(table.set(of: ClassKey("beagel")!)?.text == "breed")
    #expect(table.set(of: ClassKey("beagle")!)?.text == "breed")
    #expect(table.set(of: ClassKey("dog")!) == nil)
    #expect(table.set(of: ClassKey("cat")!) == nil)
  }
}
