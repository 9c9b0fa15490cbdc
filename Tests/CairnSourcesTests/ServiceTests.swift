import CairnDocument
import CairnHTTP
import CairnSources
import Foundation
import TestSupport
import Testing

@Suite("Photo services")
struct ServiceTests {
  static let services: [SourceName] = [.flickr, .commons, .inaturalist, .openverse, .dogCEO]

  @Test("fetches as many photos as wanted, each once, and identifies itself", arguments: services)
  func pages(name: SourceName) throws {
    let scene = try Scene(#"{"total": 70, "portion": 7}"#)
    let report = try scene.fetch(scene.source(name), Scene.query(name), count: 23)
    #expect(report.added == 23 && report.failed.isEmpty && report.failure == nil)
    #expect(Set(scene.fetched.map(\.bytes)).count == 23, "23 different images")
    let requests = scene.services.requests()
    #expect(requests.allSatisfy { $0.headers["user-agent"] == "cairn/test (ann@example.org)" })
    let images = scene.services.requests("/images/").map(\.path)
    #expect(images.count == 23 && Set(images).count == 23, "nothing is fetched twice")
    let questions = requests.filter { !$0.path.hasPrefix("/images/") }
    let distinct = Set(questions.map { "\($0.path) \($0.query.sorted { $0.key < $1.key })" })
    #expect(distinct.count == questions.count, "no page is asked for twice")
    #expect(questions.count > (name == .inaturalist ? 0 : 1))
    #expect(scene.leftovers.isEmpty)
  }

  @Test("continues iNaturalist's pages after the last id seen")
  func numbers() throws {
    let scene = try Scene(#"{"total": 130}"#)
    let report = try scene.fetch(scene.source(.inaturalist), Scene.query(.inaturalist), count: 60)
    #expect(report.added == 60)
    #expect(scene.services.requests("/inaturalist").map { $0.query["id_above"] } == [nil, "66"])
  }

  @Test(
    "limits the requests in flight to what the service allows",
    arguments: [(SourceName.commons, 2 + 1), (.flickr, 4 + 1)])
  func connectionLimit(name: SourceName, bound: Int) throws {
    let scene = try Scene(
      #"{"total": 20, "faults": [{"match": "/images/", "times": 99, "do": "slow", "milliseconds": 30}]}"#
    )
    try scene.fetch(scene.source(name), Scene.query(name), count: 12)
    let most = scene.services.requests("/images/").map(\.running).max() ?? 0
    #expect(most <= bound)
    #expect(most > 1, "several at a time")
  }

  @Test(
    "limits the request rate by the clock", arguments: [(SourceName.commons, 3), (.openverse, 6)])
  func rateLimit(name: SourceName, seconds: Int) throws {
    let scene = try Scene(#"{"total": 60, "portion": 4}"#)
    try scene.fetch(scene.source(name), Scene.query(name), count: 20)
    #expect(scene.clock.waited >= Int64(seconds) * 1000, "\(scene.clock.waited)")
  }

  @Test("fetches all photos of a source that has fewer than wanted, and ends", arguments: services)
  func exhausted(name: SourceName) throws {
    let scene = try Scene(#"{"total": 9, "portion": 4}"#)
    let report = try scene.fetch(scene.source(name), Scene.query(name), count: 100)
    // Of nine, two of Flickr and two of iNaturalist may not be copied, one of iNaturalist has an
    // obscured location, and one of Commons is not a photo.
    let expected: [SourceName: Int] = [
      .flickr: 7, .commons: 8, .inaturalist: 6, .openverse: 9, .dogCEO: 9,
    ]
    #expect(report.added == expected[name] && report.failure == nil)
  }

  @Test(
    "fetches only wanted licenses, even if the service ignores the filter",
    arguments: [SourceName.flickr, .commons, .inaturalist, .openverse], [true, false])
  func licences(name: SourceName, isCareless: Bool) throws {
    let scene = try Scene(#"{"total": 30, "careless": \#(isCareless)}"#)
    var query = Scene.query(name)
    query.licenses = [.cc0, .by]
    let report = try scene.fetch(scene.source(name), query, count: 100)
    #expect(report.added >= 6)
    #expect(scene.fetched.allSatisfy { [.cc0, .by].contains($0.photo.license?.kind) })
    #expect(scene.services.requests("/images/").count == report.added)
  }

  @Test("does not request again what was fetched before", arguments: services)
  func again(name: SourceName) throws {
    let scene = try Scene(#"{"total": 20}"#)
    try scene.fetch(scene.source(name), Scene.query(name), count: 5)
    let before = Set(
      scene.fetched.flatMap { SourcePhoto.keys(of: $0.photo.credit(from: name)) })
    let report = try scene.fetch(scene.source(name), Scene.query(name), count: 5, before: before)
    #expect(report.added == 5 && report.known == 5)
    let images = scene.services.requests("/images/").map(\.path)
    #expect(images.count == 10 && Set(images).count == 10)
  }

  @Test("reads the facts about Flickr photos, with numbers as numbers or strings")
  func flickr() throws {
    let scene = try Scene(#"{"total": 6}"#)
    var query = Scene.query(.flickr)
    query.licenses = nil
    try scene.fetch(scene.source(.flickr), query, count: nil)
    let photos = scene.fetched.map(\.photo).sorted { $0.id < $1.id }
    #expect(photos.map(\.id) == (0..<6).map { "5300000000\($0)" })
    #expect(
      photos.map(\.license?.name) == [
        "CC BY 2.0", "All rights reserved", "CC BY-SA 2.0", "CC0 1.0", "CC BY-NC 2.0", "CC BY 2.0",
      ])
    #expect(photos[1].location?.coordinate == Coordinate(latitude: 48.85, longitude: 2.29))
    #expect(photos[0].location == nil, "0, 0 means an unknown location")
    #expect(photos.map(\.location?.level) == [nil, 16, nil, 11, nil, 16])
    #expect(photos.allSatisfy { $0.location?.accuracy == nil && $0.location?.isObscured != true })
    #expect(
      photos.map(\.taken?.description)
        == ["2013-09-12T19:37:56", "2013-09-12T19:37:56", "2013-09", "2013", "2013~", nil],
      "an unknown date is that of the upload")
    #expect(photos[1].page == "https://www.flickr.com/photos/1%40N00/53000000001/")
    #expect(photos[1].author == "Flora 1" && photos[1].title == "Flickr 1")
    #expect(photos[1].original == "\(scene.services.base)/images/flickr-original-1.png")
    let asked = try #require(scene.services.requests("/flickr").first?.query)
    #expect(asked["radius"] == "0.5" && asked["min_upload_date"] != nil && asked["has_geo"] == "1")
    query.wantsOriginal = true
    try scene.fetch(scene.source(.flickr), query, count: 1)
    #expect(scene.services.requests("/images/flickr-original").count == 1)
  }

  @Test("reads the facts about Commons photos in portions and skips drawings")
  func commons() throws {
    let scene = try Scene(#"{"total": 12, "portion": 5}"#)
    try scene.fetch(scene.source(.commons), Scene.query(.commons), count: nil)
    let photos = scene.fetched.map(\.photo).sorted { Int($0.id)! < Int($1.id)! }
    #expect(photos.count == 11)
    #expect(photos[0].author == "Ann & Bob 0" && photos[0].title == "Commons 0")
    #expect(photos.prefix(4).map(\.license?.text) == ["CC BY-SA 4.0", "CC0", "GFDL", "CC BY 2.0"])
    #expect(photos[0].page == "https://commons.wikimedia.org/wiki/File:Commons_0.jpg")
    let questions = scene.services.requests("/commons")
    #expect(questions.map { $0.query["iicontinue"] } == [nil, "5|x", "10|x"])
    #expect(
      questions.allSatisfy { $0.query["maxlag"] == "5" && $0.query["ggscoord"] == "48.8584|2.2945" }
    )
    var textQuery = SourceQuery()
    textQuery.text = "harbor"
    textQuery.area = SearchArea(Coordinate(latitude: -33.8, longitude: 151.2)!, radiusMeters: 800)
    try scene.fetch(scene.source(.commons), textQuery, count: 1)
    #expect(
      scene.services.requests("/commons").last?.query["gsrsearch"]
        == "harbor filetype:bitmap nearcoord:800m,-33.8,151.2")
  }

  @Test("takes one photo of each iNaturalist observation, and marks a hidden location as such")
  func inaturalist() throws {
    let scene = try Scene(#"{"total": 8}"#)
    var query = SourceQuery()
    query.text = "Pinus sylvestris"
    try scene.fetch(scene.source(.inaturalist), query, count: nil)
    let photos = scene.fetched.map(\.photo).sorted { $0.id < $1.id }
    #expect(photos.map(\.id) == ["90001", "90003", "90005", "90007"])
    #expect(photos.allSatisfy { $0.classes == [["Pinus sylvestris", "Scots pine"]] })
    let hidden = try #require(photos[0].location)
    #expect(hidden.isObscured && hidden.accuracy == 28206)
    #expect(hidden.coordinate == Coordinate(latitude: 52.3114, longitude: 4.9421))
    let open = photos.dropFirst().map(\.location)
    #expect(open.allSatisfy { $0?.coordinate == Coordinate(latitude: 52.37, longitude: 4.89) })
    #expect(open.allSatisfy { $0?.isObscured == false })
    #expect(open.map { $0?.accuracy } == [29, 29, nil])
    #expect(
      photos.map(\.taken?.description)
        == ["2019-06", "2019-06-01T10:20:30+02:00", "2019-06-01", "2019-06-01T10:20:30+02:00"])
    #expect(photos[0].author == "nat1" && photos[1].taken?.captureTime?.offset == 120)
    #expect(photos[0].license?.name == "CC0 1.0")
    #expect(scene.fetched.allSatisfy { $0.name.hasSuffix("-large.png") })
  }

  @Test("takes no location from a private iNaturalist observation")
  func privateObservation() throws {
    let scene = try Scene(#"{"total": 10}"#)
    var query = SourceQuery()
    query.text = "Pinus sylvestris"
    try scene.fetch(scene.source(.inaturalist), query, count: nil)
    let photo = try #require(scene.fetched.map(\.photo).first { $0.id == "90009" })
    #expect(photo.location == nil && photo.taken != nil)
    let credit = photo.credit(from: .inaturalist)
    #expect(credit.location == nil && credit.taken == photo.taken)
  }

  @Test("puts time and location into the credit")
  func captureInCredit() throws {
    let scene = try Scene(#"{"total": 4}"#)
    try scene.fetch(scene.source(.flickr), Scene.query(.flickr), count: nil)
    #expect(!scene.fetched.isEmpty)
    for photo in scene.fetched.map(\.photo) {
      let credit = photo.credit(from: .flickr)
      #expect(credit.location == photo.location && credit.taken == photo.taken)
      #expect(credit.service == "flickr")
    }
  }

  @Test("finds a dog.ceo breed by its words in any order and names its class")
  func breeds() throws {
    for (text, path) in [
      ("Cairn terrier", "terrier/cairn"), ("terrier-cairn", "terrier/cairn"), ("hound", "hound"),
    ] {
      let scene = try Scene(#"{"total": 2}"#)
      var query = SourceQuery()
      query.text = text
      try scene.fetch(scene.source(.dogCEO), query, count: nil)
      #expect(scene.services.requests("/dogceo").last?.path == "/dogceo/api/breed/\(path)/images")
      if text == "hound" { continue }
      #expect(
        scene.fetched.allSatisfy {
          $0.photo.classes == [["cairn terrier", "terrier-cairn", "n02096177"]]
        })
    }
    let scene = try Scene(#"{"total": 13}"#)
    let chance = try scene.fetch(scene.source(.dogCEO), SourceQuery(), count: 13)
    #expect(chance.added == 13, "random draws repeat, but bring all photos in the end")
  }

  @Test("sends a key as its service requires and shows it in no message")
  func keys() throws {
    let scene = try Scene()
    try scene.fetch(scene.source(.openverse), Scene.query(.openverse), count: 1)
    #expect(
      scene.services.requests("/openverse").first?.headers["authorization"] == "Bearer good-key")
    #expect(
      scene.services.requests("/images/").allSatisfy { $0.headers["authorization"] == nil })
    for name in [SourceName.flickr, .openverse] {
      let report = try scene.fetch(
        scene.source(name, key: "bad-secret"), Scene.query(name), count: 1)
      #expect(report.failure?.kind == .wrongKey)
      #expect("\(String(describing: report.failure))".contains("bad-secret") == false)
    }
    #expect("\(SourceCredentials(.flickr, key: "bad-secret"))".contains("secret") == false)
    #expect(
      String(reflecting: SourceCredentials(.flickr, key: "bad-secret")).contains("secret") == false)
  }
}
