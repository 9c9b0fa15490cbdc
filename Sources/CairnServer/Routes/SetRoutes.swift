internal import Cairn
internal import Hummingbird

/// Result sets: results of queries that do not change while people label.
enum SetRoutes {
  /// Maximum number of rows of a page.
  static let rowLimit = 1_000
  /// Maximum number of photos of a set that are given by their ids, and of a page of ids.
  static let idLimit = 100_000
  /// The size of an id in bytes.
  private static let idSize = 32

  static let all = [
    Route(.post, "/api/sets", isWrite: false, create), Route(.get, "/api/sets/:set/photos", photos),
    Route(.get, "/api/sets/:set/ids", ids), Route(.get, "/api/sets/:set/index/:photo", index),
    Route(.get, "/api/sets/:set/changes", changes),
    Route(.delete, "/api/sets/:set", isWrite: false, remove),
    Route(.post, "/api/query", isWrite: false, check),
  ]

  private static func create(_ request: APIRequest) async throws -> Response {
    if request.contentType == "application/octet-stream" { return try await createOfIDs(request) }
    let body = try await request.body()
    var list = ListOrder()
    list.order = try body.choice("sort", default: .id)
    list.isReversed = try body.flag("descending")
    list.grouping = try body.choice("group", default: .none)
    let event = request.server.events.last
    let set: ResultSet
    if body["photos"] != nil || body["cell"]?.object != nil || body["uncertain"]?.object != nil {
      let ids = try await members(body, request)
      let keys = try await request.server.library.read(as: request.session.person) {
        try $0.withIndex(updating: false) { try $0.photoKeys(of: ids) }
      }
      set = ResultSet(source: .photos, text: "", list: list, keys: keys, groups: [])
    } else {
      let text = try body.text("query") ?? ""
      let query = try PhotoQuery(text)
      let (keys, groups) = try await request.server.library.read(as: request.session.person) {
        [list] in try $0.photoKeys(query, in: list, updating: false)
      }
      set = ResultSet(source: .query(query), text: text, list: list, keys: keys, groups: groups)
    }
    let name = request.session.sets.add(set)
    return .json(set.json(name, event: event), status: .created)
  }

  /// Creates a set of photos in the form in which ``ids(_:)`` returns them: many ids are too large
  /// as JSON.
  private static func createOfIDs(_ request: APIRequest) async throws -> Response {
    let event = request.server.events.last
    let limit = idSize * idLimit
    let bytes = try await request.bytes(limit: limit, or: .tooManyPhotos)
    guard bytes.readableBytes.isMultiple(of: idSize) else {
      throw ServeError.invalid("The body must be ids of \(idSize) bytes each.")
    }
    let view = bytes.readableBytesView
    let ids = stride(from: view.startIndex, to: view.endIndex, by: idSize).map {
      PhotoID(digest: Array(view[$0..<$0 + idSize]))
    }
    let keys = try await request.server.library.read(as: request.session.person) {
      try $0.withIndex(updating: false) { try $0.photoKeys(of: ids) }
    }
    let set = ResultSet(source: .photos, text: "", list: ListOrder(), keys: keys, groups: [])
    let name = request.session.sets.add(set)
    return .json(set.json(name, event: event), status: .created)
  }

  /// Returns the photos that are given by their ids, as a cell of a matrix of models or people, or as
  /// those about which a model is most uncertain.
  private static func members(
    _ body: JSONObject, _ request: APIRequest
  ) async throws -> [PhotoID] {
    var scope = MetricsScope()
    if let text = try body.text("query"), !text.isEmpty { scope.query = try PhotoQuery(text) }
    if let labeler = try body["uncertain"]?.object?.required("labeler") {
      // This may compute features of all photos, and caches them.
      guard !request.session.isReadOnly else { throw ServeError.readOnly }
      let query = scope.query
      // This may compute features: the readers stay free.
      return try await request.server.library.work {
        try $0.uncertainPhotos(query, labeler: labeler).photos
      }
    }
    guard let cell = body["cell"]?.object else {
      return try body.photos("photos", limit: idLimit)
    }
    let measured = scope
    let (library, person) = (request.server.library, request.session.person)
    if cell["people"] != nil {
      let wanted = try AgreementCell(cell)
      return try await library.read(as: person) { try $0.photos(in: wanted, measured) }
    }
    guard let model = Annotator(model: try cell.required("model")) else {
      throw ServeError.invalid("“model” must be NAME@VERSION.")
    }
    let wanted = try MetricsCell(cell)
    return try await library.read(as: person) { try $0.photos(in: wanted, of: model, measured) }
  }

  private static func set(_ request: APIRequest) throws -> ResultSet {
    try request.session.sets.get(request.parameter("set"))
  }

  private static func photos(_ request: APIRequest) async throws -> Response {
    let set = try set(request)
    let start = try request.integer("from", 0...Int(Int32.max), default: 0)
    let count = try request.integer("count", 1...rowLimit, default: 200)
    let keys = Array(set.keys(from: start, count: count))
    let rows = try await request.server.library.read(as: request.session.person) {
      try $0.rowsIfPresent(of: keys)
    }
    // A photo that is gone keeps its place, so that the others keep theirs.
    var known = (request.server.json(rows.compactMap { $0 }).array ?? []).makeIterator()
    let photos = rows.map { $0 == nil ? .null : known.next() ?? .null }
    return .json([("from", JSON(start)), ("photos", .array(photos))])
  }

  private static func ids(_ request: APIRequest) async throws -> Response {
    let set = try set(request)
    let start = try request.integer("from", 0...Int(Int32.max), default: 0)
    let count = try request.integer("count", 1...idLimit, default: idLimit)
    let keys = Array(set.keys(from: start, count: count))
    let bytes = try await request.server.library.read(as: nil) { dataset in
      let ids = try dataset.withIndex(updating: false) { try $0.photoIDs(of: keys) }
      return ids.flatMap { $0?.digest ?? [UInt8](repeating: 0, count: 32) }
    }
    return .bytes(bytes, type: "application/octet-stream")
  }

  private static func index(_ request: APIRequest) async throws -> Response {
    let (set, id) = (try set(request), try request.photoID())
    let key = try await request.server.library.read(as: nil) {
      try $0.withIndex(updating: false) { try $0.photoKeys(of: [id]).first }
    }
    guard let key, let index = set.keys.firstIndex(of: key) else {
      throw ServeError(
        status: .notFound, kind: "not-found", message: "The photo is not in the set.")
    }
    return .json([("index", JSON(index))])
  }

  private static func changes(_ request: APIRequest) async throws -> Response {
    let set = try set(request)
    guard case .query(let query) = set.source else {
      return .json([("count", JSON(set.keys.count)), ("gone", 0), ("new", 0)])
    }
    let counts = try await request.server.library.read(as: request.session.person) { dataset in
      let now = Set(try dataset.photoKeys(query, in: ListOrder(), updating: false).keys)
      let same = set.keys.count { now.contains($0) }
      return (now.count, now.count - same, set.keys.count - same)
    }
    return .json([
      ("count", JSON(counts.0)), ("gone", JSON(counts.2)), ("new", JSON(counts.1)),
    ])
  }

  private static func remove(_ request: APIRequest) async throws -> Response {
    request.session.sets.remove(request.parameter("set"))
    return .noContent
  }

  private static func check(_ request: APIRequest) async throws -> Response {
    let text = try await request.body().text("query") ?? ""
    do {
      let query = try PhotoQuery(text)
      let count = try await request.server.library.read(as: request.session.person) {
        try $0.photoKeys(query, in: ListOrder(), updating: false).keys.count
      }
      return .json([("count", JSON(count)), ("valid", true)])
    } catch let error as CairnError {
      return .json([("error", ServeError(error).json), ("valid", false)])
    }
  }
}

extension MetricsCell {
  fileprivate init(_ json: JSONObject) throws {
    if json["set"] != nil {
      let prediction =
        try json.text("prediction") == nil ? nil : json.requiredClass("prediction")
      self = .ofSet(
        try json.requiredClass("set"), truth: try json.requiredClass("truth"),
        prediction: prediction)
    } else {
      self = .ofClass(
        try json.requiredClass("class"), isPresent: try json.required("truth") == "present",
        isPredicted: try json.required("prediction") == "present")
    }
  }
}

extension AgreementCell {
  fileprivate init(_ json: JSONObject) throws {
    let people = try json.texts("people").compactMap { Annotator(email: $0) }
    guard people.count == 2 else {
      throw ServeError.invalid("“people” must be the addresses of two people.")
    }
    let subject: AgreementMetrics.Subject? =
      if try json.text("set") != nil {
        .ofSet(try json.requiredClass("set"))
      } else if try json.text("class") != nil {
        .ofClass(try json.requiredClass("class"))
      } else {
        nil
      }
    let isAgreed = json["agreed"]?.isNull ?? true ? nil : try json.flag("agreed")
    self.init(people[0], people[1], on: subject, isAgreed: isAgreed)
  }
}

extension JSONObject {
  fileprivate func requiredClass(_ name: String) throws -> ClassKey {
    guard let key = ClassKey(try required(name)) else {
      throw ServeError.invalid("“\(name)” must be the key of a class.")
    }
    return key
  }
}
