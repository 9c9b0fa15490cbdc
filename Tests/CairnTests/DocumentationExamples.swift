import Cairn

/// The examples of the documentation. ``ExampleTests`` checks that each of them is here as printed.
enum DocumentationExamples {
  static func overview() throws {
    let dataset = try Dataset(at: "/data/trees")
    let photo = try dataset.photoID("3fa9", relativeTo: "/data/trees")
    try dataset.label([photo], ["Scots pine"])
    let report = try dataset.sync()
    print(report)
  }

  static func readme() throws {
    let dataset = try Dataset(at: "/data/trees")
    let photo = try dataset.photoID("f1eb407f", relativeTo: "/data/trees")
    try dataset.label([photo], ["Scots pine"])
    let report = try dataset.sync()
    print(report)
  }

  static func box() {
    let box = NormalizedRect(x: 0.25, y: 0.25, width: 0.5, height: 0.5)
    let pixels = box.width * 4000  // 2000
    print(pixels)
  }

  static func outline() {
    let triangle = Polygon(outer: [(0, 0), (1, 0), (0, 1)].map { Polygon.Point(x: $0, y: $1) })
    let share = [triangle].area  // 0.5
    print(share)
  }

  static func find(in dataset: Dataset) throws {
    let query = try PhotoQuery("label:heather taken:2026")
    let latest = try dataset.find(query, by: .taken, limit: 20)
    print("\(latest.count) photos")
  }

  static func label(_ photos: [PhotoID], in dataset: Dataset) throws {
    try dataset.label(photos, ["heather"])

    let prediction = LabelAssertion(
      annotator: Annotator(model: "treenet@2026-11"), confidence: 0.81,
      box: NormalizedRect(x: 0.1, y: 0.2, width: 0.5, height: 0.4))
    try dataset.label(photos, ["Scots pine"], prediction)
  }

  static func addPhotos(to dataset: Dataset) throws {
    var options = PhotoImport()
    options.pin = .nearest(within: 500)  // meters
    let added = try dataset.addPhotos(["/home/alice/camera"], options)
    print("\(added.count { $0.status == .added }) photos added")
  }

  static func severalTasks() async throws {
    let walk = try DatasetQueue(at: "/home/alice/walk")
    let open = try await walk.run { try $0.find(PhotoQuery("is:unlabeled")) }
    print("\(open.count) photos to label")

    let sync = walk.start { try $0.sync() }
    for await progress in sync.progress { print(progress) }
    print(try await sync.value)
  }
}
