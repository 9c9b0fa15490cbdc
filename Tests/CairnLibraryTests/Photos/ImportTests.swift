import Cairn
import CairnFiles
import CairnPhotos
import CairnStore
import Foundation
import Synchronization
import SystemPackage
import TestSupport
import Testing

@Suite("Adding photos")
struct ImportTests {
  let folder = TemporaryDirectory()

  /// Starts a dataset.
  private func start(_ name: String = "data") throws -> Dataset {
    _ = TestIdentity.inUse
    return try Dataset.create(at: folder.path(name))
  }

  /// Writes a photo and a sidecar with its metadata.
  @discardableResult
  private func photo(
    _ seed: Int, keywords: [String] = [], at location: (Double, Double)? = nil,
    title: String? = nil,
    in directory: String = "in"
  ) throws -> FilePath {
    let picture = Picture(seed: seed, width: 48, height: 32)
    let path = try folder.write(picture.jpeg(quality: 90), to: "\(directory)/\(seed).jpg")
    var attributes = ""
    if let location {
      func text(_ degrees: Double, _ signs: String) -> String {
        let whole = Int(abs(degrees))
        let sign = degrees < 0 ? signs.last! : signs.first!
        return "\(whole),\((abs(degrees) - Double(whole)) * 60)\(sign)"
      }
      attributes += " exif:GPSLatitude=\"\(text(location.0, "NS"))\""
      attributes += " exif:GPSLongitude=\"\(text(location.1, "EW"))\""
    }
    var members = ""
    if !keywords.isEmpty {
      let items = keywords.map { "<rdf:li>\($0)</rdf:li>" }.joined()
      members += "<dc:subject><rdf:Bag>\(items)</rdf:Bag></dc:subject>"
    }
    if let title {
      members += """
        <dc:title><rdf:Alt><rdf:li xml:lang="x-default">\(title)</rdf:li></rdf:Alt></dc:title>
        """
    }
    let xmp = """
      <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF
      xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description
      xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:exif="http://ns.adobe.com/exif/1.0/"
      \(attributes)>\(members)</rdf:Description></rdf:RDF></x:xmpmeta>
      """
    try folder.write(Array(xmp.utf8), to: "\(directory)/\(seed).xmp")
    return path
  }

  // MARK: Keywords

  @Test("records keywords as labels by the person who adds the photo")
  func words() throws {
    let dataset = try start()
    var options = PhotoImport()
    options.importsKeywords = true
    let other = try dataset.addPhotos([photo(1, keywords: ["Oak tree"])], options)[0]
    #expect(other.labels.map(\.text) == ["oak-tree"])
    _ = try dataset.renameClass(ClassKey("oak-tree")!, to: "English oak")
    try photo(
      2, keywords: ["OAK TREE", "english oak", "鳥", String(repeating: "x", count: 300)],
      title: "Under the oak")
    let added = try dataset.addPhotos([folder.path("in")], options)
    #expect(added.map(\.status) == [.known, .added])
    let record = try dataset.show(try #require(added[1].id))
    #expect(record.photo.title.value == "Under the oak")
    #expect(
      added[1].note?.contains("keywords left out (invalid or ambiguous class names): “xxx") == true)
    let bird = try #require(ClassKey(naming: "鳥"))
    #expect(Set(record.labels.map(\.classKey.text)).isSuperset(of: ["oak-tree", bird.text]))
    let mine = try dataset.label([record.photo.id], ["oak-tree"])[0].label.annotator
    #expect(record.labels.allSatisfy { $0.annotator == mine })
    #expect(record.labels.allSatisfy { $0.source == "xmp:dc:subject" && $0.confidence == 1 })
    #expect(try dataset.verify().isValid)
  }

  @Test("records keywords without making labels or classes of them, and finds photos by them")
  func leftAlone() throws {
    let dataset = try start()
    let path = try photo(1, keywords: ["oak", "Häfen"])
    let added = try dataset.addPhotos([path])[0]
    #expect(added.labels.isEmpty && added.note == nil)
    let id = try #require(added.id)
    #expect(try dataset.show(id).labels.isEmpty)
    #expect(try dataset.show(id).photo.image.keywords == ["oak", "Häfen"])
    #expect(try dataset.classes().isEmpty)
    #expect(try dataset.find(PhotoQuery("hafen")) == [id])
    #expect(try dataset.find(PhotoQuery("elm")).isEmpty)
    // A known photo keeps its labels, or none.
    var options = PhotoImport()
    options.importsKeywords = true
    #expect(try dataset.addPhotos([path], options)[0].status == .known)
    #expect(try dataset.show(id).labels.isEmpty)
    #expect(try dataset.verify().isValid)
  }

  @Test("makes a label of a face with a name, and none of one that a camera detected")
  func faces() throws {
    let dataset = try start()
    func face(_ x: Double, _ name: String) -> String {
      """
      <rdf:li rdf:parseType="Resource"><mwg-rs:Area stArea:x="\(x)" stArea:y="0.5"
      stArea:w="0.25" stArea:h="0.5" stArea:unit="normalized"/><mwg-rs:Type>Face</mwg-rs:Type>
      \(name)</rdf:li>
      """
    }
    let xmp = """
      <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF
      xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about=""
      xmlns:mwg-rs="http://www.metadataworkinggroup.com/schemas/regions/"
      xmlns:stArea="http://ns.adobe.com/xmp/sType/Area#"><mwg-rs:Regions rdf:parseType="Resource">
      <mwg-rs:RegionList><rdf:Bag>\(face(0.25, ""))
      \(face(0.75, "<mwg-rs:Name>Marie</mwg-rs:Name>"))</rdf:Bag></mwg-rs:RegionList>
      </mwg-rs:Regions></rdf:Description></rdf:RDF></x:xmpmeta>
      """
    let path = try photo(1)
    try folder.write(Array(xmp.utf8), to: "in/1.xmp")
    var options = PhotoImport()
    options.importsKeywords = true
    let added = try dataset.addPhotos([path], options)[0]
    #expect(added.labels.map(\.text) == ["marie"])
    let record = try dataset.show(try #require(added.id))
    #expect(record.photo.image.regions.map(\.name) == [nil, "Marie"])
    #expect(record.labels.map(\.region?.x) == [0.625])
    #expect(try dataset.verify().isValid)
  }

  // MARK: Pins

  private static let locations: [(Double, Double)] = [
    (47.0, 8.0), (47.001, 8.001), (47.002, 8.0), (47.0, 8.003),  // together
    (47.1, 8.0), (-33.0, 151.0), (10.0, 179.9999), (10.0, -179.9999), (89.9999, 10),
    (89.9999, -170),
  ]

  @Test("makes a pin for each group of nearby photos, with the same ids for the same files")
  func automatic() throws {
    for (index, location) in Self.locations.enumerated() { try photo(index, at: location) }
    try photo(99)
    var options = PhotoImport()
    options.pin = .automatic(within: 500)
    var trees: [[PinID]] = []
    for name in ["one", "two"] {
      let dataset = try start(name)
      var files = try FileManager.default.contentsOfDirectory(
        atPath: folder.path("in").string
      ).filter { $0.hasSuffix(".jpg") }.sorted().map { folder.path("in/\($0)") }
      if name == "two" { files.reverse() }
      let added = try dataset.addPhotos(files, options)
      let pins = try dataset.pins()
      // A group of four, two single photos, two across the date line and two across the pole.
      #expect(pins.count == 5)
      #expect(added.count { $0.pin == nil } == 1)
      trees.append(pins.map(\.id).sorted())
      #expect(try dataset.addPhotos(files, options).allSatisfy { $0.status == .known })
      #expect(try dataset.pins().count == 5)
    }
    #expect(trees[0] == trees[1])
  }

  @Test("makes a pin for a photo that is larger than what is read of it to plan pins")
  func largePhoto() throws {
    // A TIFF of one pixel, with its directories after 32 MiB.
    let start = (32 << 20) + 8
    var bytes = Array("II*\0".utf8)
    func number(_ value: Int, _ count: Int = 4) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    func directory(_ fields: [(tag: Int, type: Int, count: Int, value: Int)]) -> [UInt8] {
      let entries = fields.map {
        number($0.tag, 2) + number($0.type, 2) + number($0.count) + number($0.value)
      }
      return number(fields.count, 2) + entries.flatMap { $0 } + number(0)
    }
    bytes += number(start)
    bytes += [UInt8](repeating: 0, count: start - bytes.count)
    let position = start + 2 + 9 * 12 + 4
    let degrees = position + 2 + 4 * 12 + 4
    bytes += directory([
      (256, 4, 1, 1), (257, 4, 1, 1), (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, 1),
      (273, 4, 1, 8),
      (278, 4, 1, 1), (279, 4, 1, 1), (34853, 4, 1, position),
    ])
    bytes += directory([
      (1, 2, 2, 0x4E), (2, 5, 3, degrees), (3, 2, 2, 0x45), (4, 5, 3, degrees + 24),
    ])
    for value in [47, 1, 30, 1, 0, 1, 8, 1, 15, 1, 0, 1] { bytes += number(value) }
    try folder.write(bytes, to: "in/large.tif")
    var options = PhotoImport()
    options.pin = .automatic(within: 500)
    let dataset = try self.start()
    let added = try dataset.addPhotos([folder.path("in/large.tif")], options)
    #expect(added.first?.pin != nil, "\(added)")
    let location = try dataset.pins().first?.location.value
    #expect(location == Coordinate(latitude: 47.5, longitude: 8.25))
  }

  @Test("makes two pins with one name for locations that round to the same coordinates")
  func nearPins() throws {
    for (seed, latitude) in [(1, 47.00001), (2, 47.00004)] { try photo(seed, at: (latitude, 8)) }
    var options = PhotoImport()
    options.pin = .automatic(within: 2)
    var found: [[PinID]] = []
    for name in ["one", "two"] {
      let dataset = try start(name)
      let files = [folder.path("in/1.jpg"), folder.path("in/2.jpg")]
      let added = try dataset.addPhotos(name == "one" ? files : files.reversed(), options)
      #expect(Set(added.map(\.pin)).count == 2)
      #expect(Set(try dataset.pins().map(\.name.value)) == ["47.0000, 8.0000"])
      found.append(try dataset.pins().map(\.id).sorted())
    }
    #expect(found[0] == found[1])
  }

  @Test("assigns the nearest pin within the distance, and otherwise none")
  func nearest() throws {
    let dataset = try start()
    let near = try dataset.addPin(at: Coordinate(latitude: 47.001, longitude: 8)!, name: "near")
    _ = try dataset.addPin(at: Coordinate(latitude: 47.004, longitude: 8)!, name: "far")
    let gone = try dataset.addPin(at: Coordinate(latitude: 47, longitude: 8)!, name: "gone")
    _ = try dataset.setPinRemoved(gone.id, true)
    var options = PhotoImport()
    options.pin = .nearest(within: 500)
    let added = try dataset.addPhotos(
      [photo(1, at: (47, 8)), photo(2, at: (47.5, 8)), photo(3)], options)
    #expect(added.map(\.pin) == [near.id, nil, nil])
    #expect(try dataset.pins().count == 2)
  }

  // MARK: Near-duplicates

  @Test("leaves out near-duplicates of existing photos and of each other, and reports them")
  func similar() throws {
    let dataset = try start()
    let original = Picture(seed: 1, width: 300, height: 200)
    let first = try folder.write(original.jpeg(quality: 95), to: "first.jpg")
    _ = try dataset.addPhotos([first])
    let smaller = original.resized(width: 150, height: 100)
    try folder.write(smaller.jpeg(quality: 80), to: "more/a.jpg")
    let second = Picture(seed: 2, width: 300, height: 200)
    try folder.write(second.jpeg(quality: 95), to: "more/b.jpg")
    try folder.write(second.jpeg(quality: 50), to: "more/c.jpg")
    var options = PhotoImport()
    options.similarity = 8
    let added = try dataset.addPhotos([folder.path("more")], options)
    #expect(added.map(\.status) == [.similar, .added, .similar])
    #expect(added[0].note?.contains("looks like") == true)
    options.similarity = nil
    let all = try dataset.addPhotos([folder.path("more")], options)
    #expect(all.map(\.status) == [.added, .known, .added])
    let staged = try FileManager.default.contentsOfDirectory(
      atPath: folder.path("data/.git/lfs/tmp").string)
    #expect(staged.isEmpty)
  }

  @Test("leaves a sound dataset when stopped, and adds the rest the next time")
  func stopped() throws {
    let dataset = try start()
    for seed in 1...6 { try photo(seed, keywords: ["word \(seed)"]) }
    var options = PhotoImport()
    options.importsKeywords = true
    let added = Atomic(0)
    let stopping = try Dataset(
      at: folder.path("data"),
      onProgress: { progress in
        guard progress.step == "adding photos" else { return }
        #expect(progress.total == 6)
        added.store(progress.completed, ordering: .relaxed)
      }, isCancelled: { added.load(ordering: .relaxed) >= 2 })
    #expect(try stopping.addPhotos([folder.path("in")], options).count == 3)
    #expect(try dataset.verify().isValid)
    let rest = try dataset.addPhotos([folder.path("in")], options)
    #expect(rest.map(\.status) == [.known, .known, .known, .added, .added, .added])
    #expect(rest.filter { $0.status == .added }.allSatisfy { $0.labels.count == 1 })
  }

  // MARK: Other programs' files

  @Test("takes titles from the imported file first, and from the photo's metadata otherwise")
  func importedTitles() throws {
    let dataset = try start()
    try photo(1, keywords: ["oak"], at: (47, 8), title: "Mine")
    try photo(2, title: "Its own")
    try photo(3, title: String(repeating: "long ", count: 4000))
    let rows = ["file_name,label,title", "1.jpg,elm,Theirs", "2.jpg,elm,", "3.jpg,elm,"]
    try folder.write(Array(rows.joined(separator: "\n").utf8), to: "in/labels.csv")
    var options = FormatImportOptions()
    options.annotator = Annotator(email: "bo@example.org")
    options.isDryRun = true
    #expect(try dataset.import(.csv, from: folder.path("in"), options: options).new == 3)
    #expect(try staged().isEmpty && dataset.records().isEmpty)
    options.isDryRun = false
    let report = try dataset.import(.csv, from: folder.path("in"), options: options)
    #expect(report.new == 3 && report.problems.isEmpty)
    #expect(report.notes.contains { $0.hasPrefix("ignored a title longer than") })
    #expect(try staged().isEmpty)
    let photos = try dataset.records().map(\.photo).sorted { $0.source.value < $1.source.value }
    #expect(photos.map(\.title.value) == ["Theirs", "Its own", ""])
    #expect(photos[0].image.location?.coordinate == Coordinate(latitude: 47, longitude: 8))
    #expect(try dataset.show(photos[0].id).labels.map(\.classKey.text) == ["elm"])
    #expect(try dataset.verify().isValid)
  }

  @Test("leaves no copy of an image when the import is refused")
  func refused() throws {
    let dataset = try start()
    try photo(1)
    let rows = ["file_name,label", "1.jpg,elm", "none.jpg,elm"].joined(separator: "\n")
    try folder.write(Array(rows.utf8), to: "in/labels.csv")
    var options = FormatImportOptions()
    options.annotator = Annotator(email: "bo@example.org")
    #expect(try dataset.import(.csv, from: folder.path("in"), options: options).isRefused)
    #expect(try staged().isEmpty)
  }

  /// Returns the temporary files in the dataset's image store.
  private func staged() throws -> [String] {
    try FileManager.default.contentsOfDirectory(
      atPath: folder.path("data/.git/lfs/tmp").string)
  }

  // MARK: Bad input

  @Test("reports broken images and sidecars and adds the other photos")
  func broken() throws {
    let dataset = try start()
    let good = try photo(1)
    let whole = Picture(seed: 2, width: 64, height: 64).jpeg(quality: 90)
    let cut = try folder.write(Array(whole.dropLast(100)), to: "cut.jpg")
    let odd = try photo(3)
    try folder.write(Array("not XML".utf8), to: "in/3.xmp")
    // XMP that is not valid in the file itself.
    let xmp = Array("http://ns.adobe.com/xap/1.0/\0<x:xmpmeta".utf8)
    let segment = [0xFF, 0xE1, 0, UInt8(xmp.count + 2)] + xmp
    let damaged = try folder.write(
      Array(whole.prefix(2)) + segment + Array(whole.dropFirst(2)), to: "damaged.jpg")
    let added = try dataset.addPhotos([cut, good, odd, folder.path("none.jpg"), damaged])
    #expect(added.map(\.status) == [.failed, .added, .added, .failed, .added])
    #expect(added[4].note?.contains("its metadata is damaged (XMP)") == true)
    #expect(added[0].note?.hasSuffix("is a truncated JPEG.") == true)
    #expect(added[2].note?.contains("“3.xmp” is not valid XMP") == true)
    #expect(try dataset.verify().isValid)
  }

  @Test("leaves nothing of a photo that could not be added because the disk was full")
  func fullDisk() throws {
    let file = try photo(1, keywords: ["oak"], at: (47, 8), title: "Old oak")
    var (step, hasFailed) = (0, true)
    while hasFailed {
      let dataset = try start("data-\(step)")
      let counter = Mutex(-1)
      var environment = Environment.machine
      environment.files = FileSystem { (_, path) throws(FileError) in
        let isNow = counter.withLock { left in
          defer { left -= 1 }
          return left == 0
        }
        if isNow { throw FileError("write", path, .noSpace) }
      }
      var options = PhotoImport()
      options.pin = .automatic(within: 100)
      options.importsKeywords = true
      let failing = try Dataset(at: dataset.root, environment: environment)
      counter.withLock { $0 = step }
      let added = try? failing.addPhotos([file], options)
      hasFailed = counter.withLock { $0 < 0 }
      counter.withLock { $0 = -1 }

      let root = URL(filePath: dataset.root.string)
      func files(_ name: String) -> [String] {
        let found = FileManager.default.enumerator(atPath: root.appending(path: name).path)
        return (found?.allObjects as? [String] ?? []).filter { $0.contains(".") }
      }
      let isThere = !files("photos").isEmpty
      #expect(isThere || added?.first?.status != .added, "step \(step)")
      for kind in ["images", "labels", "pins", "classes"] {
        #expect(files(kind).count == (isThere ? 1 : 0), "\(kind) after a fault at step \(step)")
      }
      _ = try dataset.commit()
      #expect(try dataset.verify().isValid, "step \(step)")
      step += 1
    }
    #expect(step > 20)
  }

  // MARK: Cost

  @Test("takes no more steps on the disk per photo for 60 photos than for 20, and as many syncs")
  func cost() throws {
    func cost(_ count: Int) throws -> (steps: Int, syncs: Int) {
      let dataset = try start("data-\(count)")
      let files = try (0..<count).map { try photo(1000 * count + $0, in: "in-\(count)") }
      let counts = Mutex((steps: 0, syncs: 0))
      var environment = Environment.machine
      environment.files = FileSystem { (step, _) throws(FileError) in
        counts.withLock { counts in
          counts.steps += 1
          if case .sync = step { counts.syncs += 1 }
        }
      }
      let counting = try Dataset(at: dataset.root, environment: environment)
      let added = try counting.addPhotos(files, PhotoImport())
      #expect(added.count == count)
      return counts.withLock { $0 }
    }
    let (few, many) = (try cost(20), try cost(60))
    #expect(many.steps <= 3 * few.steps, "\(few) and \(many)")
    #expect(many.syncs == few.syncs, "\(few) and \(many)")
  }
}
