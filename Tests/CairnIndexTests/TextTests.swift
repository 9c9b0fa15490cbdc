import CairnDocument
import CairnMerge
import Testing

@testable import CairnIndex

@Suite("Text search")
struct TextTests {
  @Test("finds photos by file names that differ in letter case, accents and Unicode forms")
  func fileNames() throws {
    let index = try DatasetIndex.inMemory()
    var scene = Scene(seed: 0)
    let names = ["CAFÉ.JPG", "Cafe\u{301}.jpg", "cafe.jpg", "", "cafes.jpg"]
    var photos = zip(Scene.photos, names).map { id, name in
      Photo(
        id: id, image: ImageFacts(format: .jpeg, width: 1, height: 1, bytes: 1), pin: nil,
        source: name, stamp: scene.stamp())
    }
    func found(_ name: String, limit: Int = 9) throws -> Set<PhotoID> {
      try index.read { reader in
        var found: [PhotoID] = []
        try reader.forEachPhoto(named: name) { photo in
          found.append(photo.id)
          return found.count < limit
        }
        #expect(found == found.sorted())
        return Set(found)
      }
    }
    try index.write { writer in for photo in photos { try writer.put(photo) } }
    #expect(photos.count == names.count)
    for name in ["café.jpg", "cafe.JPG"] {
      #expect(try found(name, limit: 1).count == 1)
      #expect(try found(name) == Set(photos[..<3].map(\.id)))
    }
    #expect(try found("").isEmpty)
    photos[2].source = Register("elm.jpg", scene.stamp())
    try index.write { writer in
      try writer.put(photos[2])
      try writer.remove(.photo(photos[0].id))
    }
    #expect(try found("cafe.jpg") == [photos[1].id])
    #expect(try found("ELM.jpg") == [photos[2].id])
  }

  @Test(
    "finds words regardless of accents, case and Unicode forms",
    arguments: [
      ("Café Ångström", "cafe", true), ("Cafe\u{301}", "CAFÉ", true), ("Café", "caf", false),
      ("Café", "caf*", true), ("naïve", "naive", true), ("ΟΔΟΣ", "οδος", true),
      ("οδός", "ΟΔΟΣ", true), ("Ёлка", "елка", true), ("İstanbul", "istanbul", true),
      ("ﬁeld ①", "field", true), ("№5™", "no5tm", true), ("straße", "STRASSE", false),
      ("IMG_2041.jpg", "2041", true), ("IMG_2041.jpg", "img_2041.jpg", true),
      ("IMG_2041.jpg", "jpg 2041", false), ("old mill-race", "mill race", true),
      ("old mill", "mill old", false), ("old mill", "old mi*", true),
      ("old mill", "o* mill", false),
      ("東京タワーの夜景", "タワー", true), ("東京タワーの夜景", "京東", false),
      ("東京タワー", "東*", true), ("กรุงเทพ", "เทพ", true), ("हिन्दी", "हिन्दी", true),
      ("서울 타워", "서울", true), ("서울타워", "서울", false), ("서울타워", "서울*", true),
      ("🌲🌲 spring", "🌲🌲", true), ("a\u{0}b", "b", true),
      ("say \"hi\" OR NOT (x*)", "say \"hi\" or not", true), ("a' OR '1'='1", "1' OR 'a", false),
      ("say \"\u{200D}hi", "say \"\u{200D}hi", true), ("a", "a\"\u{FE0F} OR b", false),
      ("words : x", "words : x", true), ("x", "NEAR(x", false),
    ])
  func words(title: String, asked: String, isFound: Bool) throws {
    let index = try DatasetIndex.inMemory()
    var scene = Scene(seed: 0)
    var photo = Photo(
      id: Scene.photos[2], image: ImageFacts(format: .jpeg, width: 1, height: 1, bytes: 1),
      pin: nil, source: "", stamp: scene.stamp())
    photo.title = Register(title, scene.stamp())
    try index.write { writer in
      try writer.put(photo)
      try writer.resolve(scene.rules, fingerprint: "")
    }
    let isBeginning = asked.last == "*"
    var conditions = PhotoConditions()
    conditions.texts = [
      TextFilter(isBeginning ? String(asked.dropLast()) : asked, isBeginning: isBeginning)
    ]
    let found = try index.read { try $0.photos(where: PhotoFilter([conditions])) }
    #expect(found.isEmpty != isFound)
  }

  @Test(
    "finds no words in blank texts and punctuation",
    arguments: ["", " ", "*", "\"", "-.,", "\u{301}"])
  func wordless(text: String) { #expect(!TextFilter(text).hasWords) }
}
