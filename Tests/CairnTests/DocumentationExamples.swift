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

    if let model = Annotator(model: "treenet@2026-11") {
      let prediction = LabelAssertion(
        by: model, confidence: 0.81,
        box: NormalizedRect(x: 0.1, y: 0.2, width: 0.5, height: 0.4))
      try dataset.label(photos, ["Scots pine"], prediction)
    }
  }

  static func label(_ photos: [PhotoID], _ names: [String], in dataset: Dataset) throws {
    try dataset.label(zip(photos, names).map { PhotoAssertion($0, $1) })
  }

  static func train(in dataset: Dataset) throws {
    var request = TrainingRequest(name: "trees")
    request.split = "train=80,test=20"
    let report = try dataset.train(request)
    print(report)
  }

  static func trainRepeatedly(_ request: TrainingRequest, in dataset: Dataset) throws {
    var last: TrainingReport?
    repeat {
      try dataset.waitForLabels(request, since: last?.labels, photos: 20)
      last = try dataset.train(request)
    } while last?.isLearningCurveFlat == false
  }

  static func uncertain(in dataset: Dataset) throws {
    let next = try dataset.uncertainPhotos(.everything, labeler: "trees", limit: 20)
    print(next.photos)
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

  static func clone() async throws {
    let clone = DatasetQueue.startClone("https://example.org/walk.git", to: "/home/bob/walk")
    for await progress in clone.progress { print(progress) }
    let walk = try await clone.value.dataset
    print(walk.root)
  }

  static func review(_ dataset: Dataset) throws {
    let review = try dataset.startReview()
    for item in try dataset.reviewQueue() {
      guard let question = try review.question(item) else { continue }
      print(question.photoName, question.className ?? "", question.reasons.map(\.text))
      try review.answer(question, .accept)
    }
  }

  static func fetch(into dataset: Dataset) throws {
    var request = PhotoFetchRequest(.commons)
    request.query.area = SearchArea(try dataset.pin("harbor").location.value, radiusMeters: 500)
    request.count = 20
    let report = try dataset.fetchPhotos(request)
    print("\(report.added.count) photos fetched")
  }

  static func predict(in dataset: Dataset) throws {
    let trees = try dataset.addLabeler([
      "kind": "onnx", "name": "trees", "file": "/data/trees.onnx",
    ])
    let report = try dataset.predict(nil, with: trees)
    print("\(report.labels) labels on \(report.photos) photos")
  }

  static func sparse(_ dataset: Dataset) throws {
    try dataset.checkOut(.none)
    let metrics = try dataset.agreement()
    for row in metrics.rows { print(row.name, row.krippendorffsAlpha.value ?? .nan) }
  }

  static func swiftPage(_ dataset: Dataset) throws {
    // Answer the questions of the review queue, and undo the last answer.
    let review = try dataset.startReview()
    for item in try dataset.reviewQueue() {
      guard let question = try review.question(item) else { continue }
      try review.answer(question, .accept)
    }
    try review.undo()

    // Add a model that runs on this machine, and label all photos with it.
    let trees = try dataset.addLabeler([
      "kind": "onnx", "name": "trees", "file": "/data/trees.onnx",
    ])
    let prediction = try dataset.predict(nil, with: trees)
    print("\(prediction.labels) labels on \(prediction.photos) photos")

    // Fetch 20 photos that were taken near a pin.
    var request = PhotoFetchRequest(.commons)
    request.pin = try dataset.pin("harbor").id
    request.count = 20
    print("\(try dataset.fetchPhotos(request).added.count) photos fetched")

    // Measure how well people agree.
    for row in try dataset.agreement().rows {
      print("\(row.name): \(row.krippendorffsAlpha)")
    }
  }
}
