import CairnDocument
import CairnMerge
import Testing

@Suite("Names of classes")
struct ClassMatchTests {
  /// Resolves a name with and without an index of names.
  private func resolve(_ name: String, _ classes: [LabelClass]) -> ClassMatch? {
    let match = ClassTable(classes).resolve(name)
    #expect(ClassTable(classes, indexingNames: true).resolve(name) == match)
    #expect(ClassTable(classes.reversed()).resolve(name) == match)
    return match
  }

  private func existing(_ key: String) -> ClassMatch { .existing(ClassKey(key)!) }

  @Test("finds a class by its key, the name it was created with and its display name")
  func names() {
    let classes = [labelClass("puma", name: "Mountain Lion"), labelClass("elm")]
    for name in ["puma", "Puma", " PUMA ", "Mountain Lion", "mountain_lion", "MOUNTAIN  lion"] {
      #expect(resolve(name, classes) == existing("puma"), "\(name)")
    }
    #expect(resolve("lion", classes) == .new(ClassKey("lion")!))
    #expect(resolve("Scots pine", classes) == .new(ClassKey("scots-pine")!))
  }

  @Test("ignores case and Unicode normalization in any script")
  func scripts() throws {
    let key = try #require(ClassKey(naming: "Föhre"))
    let classes = [LabelClass(key: key, name: "Föhre"), labelClass("ash", name: "Ясень")]
    for name in ["Fo\u{308}hre", "f\u{F6}hre", "FÖHRE", key.text] {
      #expect(resolve(name, classes) == .existing(key), "\(name)")
    }
    #expect(resolve("Fohre", classes) == .new(ClassKey("fohre")!))
    #expect(resolve("ясень", classes) == existing("ash"))
  }

  @Test("prefers a key to a display name")
  func keyFirst() {
    let classes = [labelClass("oak", name: "Quercus"), labelClass("elm", name: "Oak")]
    for name in ["oak", "Oak", "OAK"] { #expect(resolve(name, classes) == existing("oak")) }
    #expect(resolve("quercus", classes) == existing("oak"))
    #expect(resolve("elm", classes) == existing("elm"))
  }

  @Test("finds a class by a key that is longer than the key of a name")
  func longKey() {
    let key = Array(repeating: "abcdefg", count: 8).joined(separator: "-")
    #expect(resolve(key, [labelClass(key)]) == existing(key))
  }

  @Test("follows aliases, also to a class without a document")
  func aliases() {
    let classes = [
      labelClass("cougar", aliasOf: "puma", name: "Big Cat"), labelClass("puma"),
      labelClass("tsuga", aliasOf: "hemlock"),
    ]
    for name in ["cougar", "big cat", "puma"] {
      #expect(resolve(name, classes) == existing("puma"), "\(name)")
    }
    #expect(resolve("tsuga", classes) == existing("hemlock"))
    #expect(resolve("hemlock", classes) == .new(ClassKey("hemlock")!))
    #expect(ClassTable(classes).exactKey(of: "Cougar")?.text == "cougar")
    #expect(ClassTable(classes).exactKey(of: "Big cat") == nil)
  }

  @Test("reports several classes with one display name and never chooses one")
  func ambiguous() {
    let classes = [
      labelClass("elm", name: "Tree"), labelClass("ash", name: "tree"), labelClass("oak"),
    ]
    for name in ["tree", "Tree", "TREE"] {
      #expect(
        resolve(name, classes) == .ambiguous([ClassKey("ash")!, ClassKey("elm")!]), "\(name)")
    }
    // The key of one of them is not ambiguous, and neither are two names of one class.
    #expect(resolve("elm", classes) == existing("elm"))
    #expect(resolve("tree", classes + [labelClass("tree")]) == existing("tree"))
    let merged = [classes[0], labelClass("ash", aliasOf: "elm", name: "tree")]
    #expect(resolve("tree", merged) == existing("elm"))
  }

  @Test("finds a removed class by its key only")
  func removed() {
    var old = labelClass("elm", name: "Tree")
    old.removed = Register(true, at(1))
    #expect(resolve("elm", [old]) == existing("elm"))
    #expect(resolve("tree", [old]) == .new(ClassKey("tree")!))
    #expect(resolve("tree", [old, labelClass("ash", name: "Tree")]) == existing("ash"))
  }

  @Test("reserves the name of favorites")
  func favorites() {
    #expect(resolve("Favorite", []) == .existing(.favorite))
    #expect(resolve("favorite", [labelClass("elm", name: "Favorite")]) == .existing(.favorite))
  }

  @Test("rejects a name without a visible character", arguments: ["", " ", "\n", "\u{7}"])
  func noName(name: String) { #expect(resolve(name, [labelClass("oak")]) == nil) }
}
