import CairnBase
import CairnDocument
import CairnMerge
import Testing

@testable import CairnIndex

/// Counts what a search costs, in steps of SQLite's virtual machine.
@Suite("Search cost")
struct StepTests {
  private static let dayMilliseconds: Int64 = 86_400_000
  private static let start: Int64 = 1_795_046_400_000
  /// The number of photos labeled per day, in the order of their ids.
  private static let photosPerDay = 100

  @Test("finds the first five photos in as many steps among 6000 as among 600")
  func first() throws {
    let (few, many) = (try steps(photos: 600, limit: 5), try steps(photos: 6000, limit: 5))
    for (what, steps) in many {
      let before = few[what] ?? 0
      // Numbers with more digits and a deeper tree take a few more steps.
      #expect(steps <= before + before / 4 + 50, "\(what): \(before), then \(steps)")
      #expect(steps < 2500, "\(what): \(steps)")
    }
  }

  @Test("finds the photos of a day or a small area in as many steps among 6000 as among 600")
  func all() throws {
    let (few, many) = (try steps(photos: 600, limit: nil), try steps(photos: 6000, limit: nil))
    for what in ["a day of labels", "a rare word", "a part of the map", "a tall part of it"] {
      let (before, after) = (few[what] ?? 0, many[what] ?? .max)
      #expect(after <= before + before / 4 + 50, "\(what): \(before), then \(after)")
    }
  }

  private func steps(photos: Int, limit: Int?) throws -> [String: Int] {
    let index = try makeIndex(photos: photos)
    let lastDay = Self.start + Int64((photos - 1) / Self.photosPerDay) * Self.dayMilliseconds
    var labelFilter = AssertionFilter()
    labelFilter.time = lastDay..<lastDay + Self.dayMilliseconds
    var claim = Assertion()
    claim.filters = [labelFilter]
    var searches: [String: PhotoConditions] = [:]
    func ask(_ what: String, _ change: (inout PhotoConditions) -> Void) {
      var conditions = PhotoConditions()
      conditions.flags = [.visible]
      change(&conditions)
      searches[what] = conditions
    }
    ask("a day of labels") { $0.assertions = [claim] }
    ask("a day of the camera") { $0.taken = [lastDay..<lastDay + Self.dayMilliseconds] }
    ask("a part of the map") { $0.areas = [MapArea(west: 4, south: -1, east: 5, north: 1)!] }
    ask("a tall part of it") { $0.areas = [MapArea(west: 4, south: 0, east: 5, north: 12)!] }
    ask("a rare word") { $0.texts = [TextFilter("photo7")] }
    ask("a frequent word") { $0.texts = [TextFilter("jpg")] }
    return try index.read { reader in
      try searches.mapValues { conditions in
        let rows = try reader.selection(conditions, sorting: "ASC", limit: limit)
        var count = 0
        while count != limit, try rows.step() { count += 1 }
        #expect(count > 0)
        return rows.steps
      }
    }
  }

  /// Returns an index of photos with ascending ids, ten per pin, with the pins along the equator.
  /// The day on which a photo was taken and labeled increases with its id.
  private func makeIndex(photos: Int) throws -> DatasetIndex {
    let index = try DatasetIndex.inMemory()
    try index.write { writer in
      try writer.deferIndexes()
      for number in 0..<photos {
        let day = Self.start + Int64(number / Self.photosPerDay) * Self.dayMilliseconds
        let stamp = Stamp(
          milliseconds: day + Int64(number), counter: 0, replica: ReplicaID(rawValue: 1))
        var image = ImageFacts(format: .jpeg, width: 3, height: 2, bytes: 100)
        image.taken = CaptureTime(RFC3339.text(milliseconds: day))
        let pin = PinID(hex(number / 10, digits: 20))!
        if number % 10 == 0 {
          try writer.put(
            .pin(
              Pin(
                id: pin, at: Coordinate(latitude: 0, longitude: Double(number) / 100)!,
                name: "Pin", stamp: stamp)))
        }
        let id = PhotoID(hex(number << 36, digits: 16) + String(repeating: "0", count: 48))!
        try writer.put(
          Photo(id: id, image: image, pin: pin, source: "photo\(number).jpg", stamp: stamp))
        try writer.put(
          Label(
            photo: id, classKey: Scene.classes[0], annotator: Scene.people[0], verdict: .present,
            stamp: stamp))
      }
      try writer.resolve(Scene(seed: 0).rules, fingerprint: "")
    }
    return index
  }

  private func hex(_ number: Int, digits: Int) -> String {
    let text = String(number, radix: 16)
    return String(repeating: "0", count: digits - text.count) + text
  }
}
