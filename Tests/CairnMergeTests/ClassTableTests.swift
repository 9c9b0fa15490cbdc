import CairnDocument
import CairnMerge
import TestSupport
import Testing

@Suite("Class aliases")
struct ClassTableTests {
  private func canonical(_ key: String, _ classes: [LabelClass]) -> String {
    ClassTable(classes).canonicalKey(of: ClassKey(key)!).text
  }

  @Test("follows a chain of aliases to its end, even to a class that was never created")
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

  @Test("restores a class when its alias is undone")
  func undone() {
    var a = labelClass("a", aliasOf: "b")
    a.aliasOf = Register(nil, at(2))
    #expect(canonical("a", [a, labelClass("b")]) == "a")
  }

  @Test("resolves a cycle of aliases to its smallest key from every entry")
  func rings() {
    let ring = [
      labelClass("m", aliasOf: "z"), labelClass("z", aliasOf: "k"), labelClass("k", aliasOf: "m"),
      labelClass("tail", aliasOf: "z"), labelClass("a", aliasOf: "tail"),
    ]
    for key in ["m", "z", "k", "tail", "a"] { #expect(canonical(key, ring) == "k") }
    #expect(canonical("self", [labelClass("self", aliasOf: "self")]) == "self")
    #expect(canonical("q", [labelClass("q", aliasOf: "p"), labelClass("p", aliasOf: "q")]) == "p")
  }

  @Test("resolves every alias to one canonical key in any order of classes")
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

  @Test("resolves a long cycle of aliases quickly")
  func longChain() {
    let count = 20_000
    let classes = (0..<count).map { labelClass("c\($0)", aliasOf: "c\(($0 + 1) % count)") }
    #expect(canonical("c7777", classes) == "c0")
  }

  @Test("gives an alias the exclusive set of its class")
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
