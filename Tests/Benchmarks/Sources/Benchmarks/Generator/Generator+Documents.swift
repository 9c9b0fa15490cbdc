extension Generator {
  static let classes =
    ([
      "alder", "ash", "aspen", "beech", "black-locust", "box-elder", "cedar", "cherry", "chestnut",
      "cypress", "dogwood", "douglas-fir", "elm", "fig", "ginkgo", "hawthorn", "hazel", "hemlock",
      "holly", "hornbeam", "juniper", "larch", "laurel", "lime", "magnolia", "maple", "mulberry",
      "norway-spruce", "oak", "olive", "pear", "plane", "poplar", "rowan", "scots-pine",
      "sweet-gum",
      "sycamore", "walnut", "willow",
    ] + [rareClass]).sorted()

  private static let model = (annotator: "model:resnet50@2026-01", tag: "resnet50-2026-01-a1599fd3")
  private static let people = [
    (annotator: "human:alice@example.org", tag: "alice-d9954552"),
    (annotator: "human:bob@example.org", tag: "bob-7462aca2"),
    (annotator: "human:carol@example.org", tag: "carol-1cde2c13"),
    (annotator: "human:dan@example.org", tag: "dan-ac4f1ab9"),
  ]

  private static let cameras = ["Canon EOS 80D", "NIKON D750", "Pixel 7", "OLYMPUS TG-6"]

  /// Returns a stamp in January 2026, or in February for a change. It is later for a larger index.
  private func stamp(_ index: Int, of count: Int, month: String = "01") -> String {
    let second = index * 28 * 86_400 / max(1, count)
    func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
    return "2026-\(month)-\(two(second / 86_400 + 1))T\(two(second / 3600 % 24)):"
      + "\(two(second / 60 % 60)):\(two(second % 60)).000Z-0000-7f3a9c21"
  }

  func classDocument(_ key: String) -> CanonicalDocument {
    let stamp = stamp(0, of: 1)
    let name = key.prefix(1).uppercased() + key.dropFirst().replacing("-", with: " ")
    return CanonicalDocument(
      path: "classes/\(key).json",
      [
        "key": quoted(key), "kind": quoted("class"), "name": register(stamp, quoted(name)),
        "parent": register(stamp, "null"), "removed": register(stamp, "false"),
      ])
  }

  func photo(at index: Int) -> CanonicalDocument {
    var numbers = SeededNumbers(seed ^ 0x70686F746F, index)
    let (id, stamp) = (photos[index], stamp(index, of: photos.count))
    let bytes = 100_000 + numbers.below(4_000_000)
    let pin = pins[numbers.below(pins.count)]
    let image = object(
      [
        "bytes": String(bytes), "camera": quoted(Generator.cameras[index % 4]),
        "format": quoted("jpeg"), "height": "3000", "taken": quoted(String(stamp.prefix(19))),
        "width": "4000",
      ], indent: "  ")
    return CanonicalDocument(
      path: "photos/\(fan(id)).json",
      [
        "caption": register(stamp, quoted("")), "id": quoted(id), "image": image,
        "kind": quoted("photo"), "pin": register(stamp, quoted(pin)),
        "removed": register(stamp, "false"),
        "source": register(stamp, quoted("IMG_\(100_000 + index).jpg")),
        "title": register(stamp, quoted("")),
      ])
  }

  /// Returns the labels of one photo, sorted by path.
  func labels(at index: Int) -> [CanonicalDocument] {
    var numbers = SeededNumbers(seed ^ 0x6C6162656C, index)
    let first = numbers.below(Generator.classes.count)
    let labels = (0..<4).map { number in
      label(
        Generator.classes[(first + 7 * number) % Generator.classes.count], at: index,
        by: Generator.model, confidence: decimal(1 + numbers.below(9999), places: 4),
        stamp: stamp(index, of: photos.count), isModel: true)
    }
    return (labels + [personLabel(at: index, isChanged: false)]).sorted { $0.path < $1.path }
  }

  func personLabel(at index: Int, isChanged: Bool) -> CanonicalDocument {
    var numbers = SeededNumbers(seed ^ 0x706572736F6E, index)
    let common = Generator.classes.filter { $0 != Generator.rareClass }
    let isRare =
      index % (photos.count / Generator.rarePhotos) == 0
      && index / (photos.count / Generator.rarePhotos) < Generator.rarePhotos
    let key = isRare ? Generator.rareClass : common[numbers.below(common.count)]
    return label(
      key, at: index, by: Generator.people[numbers.below(Generator.people.count)],
      confidence: isChanged ? "0.75" : "1",
      stamp: stamp(index, of: photos.count, month: isChanged ? "02" : "01"), isModel: false)
  }

  private func label(
    _ key: String, at index: Int, by who: (annotator: String, tag: String), confidence: String,
    stamp: String, isModel: Bool
  ) -> CanonicalDocument {
    let id = photos[index]
    let path = "labels/\(fan(id))/\(key)~\(who.tag).json"
    guard isModel else {
      return CanonicalDocument(
        path: path,
        [
          "annotator": quoted(who.annotator), "class": quoted(key), "confidence": confidence,
          "kind": quoted("label"), "photo": quoted(id), "stamp": quoted(stamp),
          "verdict": quoted("present"),
        ])
    }
    return CanonicalDocument(
      path: path,
      [
        "annotator": quoted(who.annotator), "class": quoted(key), "confidence": confidence,
        "kind": quoted("label"), "photo": quoted(id), "run": quoted(run), "stamp": quoted(stamp),
        "verdict": quoted("present"),
      ])
  }

  func pinDocument(_ id: String, at index: Int) -> CanonicalDocument {
    var numbers = SeededNumbers(seed ^ 0x6D6170, index)
    let stamp = stamp(0, of: 1)
    let location = object(
      [
        "latitude": decimal(numbers.below(180_000) - 90_000, places: 3),
        "longitude": decimal(numbers.below(360_000) - 180_000, places: 3),
      ], indent: "    ")
    return CanonicalDocument(
      path: "pins/\(id.prefix(2))/\(id).json",
      [
        "id": quoted(id), "kind": quoted("pin"), "location": register(stamp, location),
        "name": register(stamp, quoted("Plot \(index + 1)")), "removed": register(stamp, "false"),
      ])
  }

  var runDocument: CanonicalDocument {
    let stamp = stamp(0, of: 1)
    return CanonicalDocument(
      path: "runs/\(run.prefix(2))/\(run).json",
      [
        "annotator": quoted(Generator.model.annotator), "by": quoted(Generator.people[0].annotator),
        "id": quoted(run), "kind": quoted("run"),
        "parameters": object(["resize": "224"], indent: "  "), "started": quoted(stamp),
        "withdrawn": register(stamp, "false"),
      ])
  }

  private func fan(_ id: String) -> String { "\(id.prefix(2))/\(id.dropFirst(2).prefix(2))/\(id)" }
}
