import CairnBase
import CairnDocument
import Testing

@Suite("Time and location reported by a service")
struct ReportedCaptureTests {
  private let stamp = Stamp("2026-11-20T09:00:00.000Z-0000-00000001")!

  @Test(
    "reads a time as precisely as it is known",
    arguments: [
      ("2019-06-01T10:20:30+02:00", "2019-06-01T10:20:30+02:00"),
      ("2019-06-01T10:20:30", "2019-06-01T10:20:30"), ("2019-06-01", "2019-06-01T00:00:00"),
      ("2019-06", nil), ("2019", nil), ("1970~", nil), ("1970-05~", nil), ("1970-05-01~", nil),
    ] as [(String, String?)])
  func reads(text: String, capture: String?) throws {
    let time = try #require(ReportedTime(text))
    #expect(time.description == text)
    #expect(time.captureTime?.description == capture)
  }

  @Test(
    "rejects malformed and impossible times",
    arguments: [
      "", "~", "19", "2019-6", "2019-13", "2019-02-30", "0000", "2019-06-01 10:20:30", "2019~~",
      "2019-06-01T10:20:30~", "yesterday", "2019/06/01", "２０１９",
    ])
  func refuses(text: String) { #expect(ReportedTime(text) == nil) }

  private func photo(
    _ location: CaptureLocation? = nil, _ taken: String? = nil, credit: Credit
  ) -> Photo {
    var image = ImageFacts(format: .jpeg, width: 3, height: 2, bytes: 100)
    (image.location, image.taken) = (location, taken.flatMap { CaptureTime($0) })
    let id = PhotoID(digest: [UInt8](repeating: 7, count: 32))
    var photo = Photo(id: id, image: image, pin: nil, source: "a.jpg", stamp: stamp)
    photo.credit = Register(credit, stamp)
    return photo
  }

  @Test("prefers what the file says to what the service reports")
  func precedence() throws {
    let (here, there) = (
      Coordinate(latitude: 1, longitude: 2)!, Coordinate(latitude: 3, longitude: 4)!
    )
    var credit = Credit()
    credit.location = ReportedLocation(there)
    credit.taken = ReportedTime("2019-06-01")
    let both = photo(CaptureLocation(here), "2020-01-02T03:04:05", credit: credit)
    #expect(both.location == here && both.taken?.description == "2020-01-02T03:04:05")
    let reported = photo(credit: credit)
    #expect(reported.location == there)
    #expect(reported.taken?.description == "2019-06-01T00:00:00")
    credit.location?.isObscured = true
    credit.taken = ReportedTime("2019-06")
    let vague = photo(credit: credit)
    #expect(vague.location == nil && vague.taken == nil)
  }

  @Test("writes location, accuracy and time into the credit and keeps unknown members")
  func roundTrip() throws {
    var credit = Credit()
    var location = ReportedLocation(Coordinate(latitude: 52.37, longitude: 4.89)!)
    (location.accuracy, location.level, location.isObscured) = (28206, 16, true)
    location.extra["datum"] = "WGS84"
    (credit.location, credit.taken) = (location, ReportedTime("2019-06"))
    let written = photo(credit: credit)
    let read = try Photo(bytes: written.canonicalBytes)
    #expect(read == written && read.credit?.value == credit)
    #expect(read.canonicalBytes == written.canonicalBytes)
    let place = read.members["credit"]?["value"]?["place"]
    #expect(place?["accuracy"]?.int == 28206 && place?["obscured"]?.bool == true)
    #expect(place?["datum"]?.string == "WGS84")
  }

  @Test(
    "rejects an invalid location or time of a credit",
    arguments: [
      ("place", ["latitude": 91, "longitude": 4]), ("place", ["latitude": 52]), ("place", "there"),
      ("place", ["latitude": 52, "longitude": 4, "accuracy": -1]),
      ("place", ["latitude": 52, "longitude": 4, "level": 17]),
      ("place", ["latitude": 52, "longitude": 4, "obscured": "yes"]), ("taken", "June"),
      ("taken", 2019),
    ] as [(String, JSON)])
  func invalid(key: String, value: JSON) throws {
    var members = photo(credit: Credit()).members
    let register: JSON = [
      "stamp": .string(stamp.description), "value": .object(JSONObject([(key, value)])),
    ]
    members["credit"] = register
    #expect(throws: DocumentError.self) { try Photo(json: .object(members)) }
  }

  @Test("keeps the keywords and regions of a file, and rejects invalid ones")
  func imageMembers() throws {
    var image = ImageFacts(format: .jpeg, width: 3, height: 2, bytes: 100)
    image.keywords = ["Häfen", "oak"]
    let box = NormalizedRect(x: 0.5, y: 0.25, width: 0.25, height: 0.5)
    image.regions = [try #require(ImageRegion(box, type: "Face"))]
    let id = PhotoID(digest: [UInt8](repeating: 7, count: 32))
    let photo = Photo(id: id, image: image, pin: nil, source: "a.jpg", stamp: stamp)
    let read = try Photo(bytes: photo.canonicalBytes)
    #expect(read.image == image)
    #expect(ImageRegion(NormalizedRect(x: 0.75, y: 0, width: 0.5, height: 1)) == nil)
    for (key, value) in [
      ("keywords", ["oak", 7]), ("keywords", "oak"), ("regions", [["x": 0, "y": 0, "width": 1]]),
      ("regions", [["x": 0.5, "y": 0, "width": 1, "height": 1]]),
      ("regions", [["x": 0, "y": 0, "width": 1, "height": 1, "name": 7]]),
    ] as [(String, JSON)] {
      var members = photo.members
      var facts = try #require(members["image"]?.object)
      facts[key] = value
      members["image"] = .object(facts)
      #expect(throws: DocumentError.self, "\(key)") { try Photo(json: .object(members)) }
    }
  }
}
