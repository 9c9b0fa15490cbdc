internal import Cairn
internal import Hummingbird

/// The classes.
enum ClassRoutes {
  static let all = [
    Route(.get, "/api/classes", list), Route(.get, "/api/classes/complete", complete),
    Route(.post, "/api/classes", create), Route(.patch, "/api/classes/:class", edit),
  ]

  private static func list(_ request: APIRequest) async throws -> Response {
    let classes = try await request.server.library.read(as: nil) { dataset in
      try dataset.classes().filter { !$0.isAlias && $0.labelClass.key != .favorite }
    }
    let sorted = classes.sorted {
      ($1.photos, $0.labelClass.key) < ($0.photos, $1.labelClass.key)
    }
    let sets = Set(classes.compactMap(\.set)).sorted()
    return .json([
      ("classes", .array(sorted.map(\.json))),
      ("sets", .array(sets.map { .string($0.text) })),
    ])
  }

  private static func complete(_ request: APIRequest) async throws -> Response {
    let text = request["text"] ?? ""
    let (names, exact, isValid) = try await request.server.library.read(as: nil) {
      dataset -> ([String], ClassKey?, Bool) in
      let names = try dataset.classCompletion().candidates(text).prefix(20)
      let exact = text.isEmpty ? nil : try? dataset.classKey(text)
      let isValid = (try? dataset.unknownClasses(among: [text])) != nil
      return (Array(names), exact, isValid)
    }
    return .json([
      ("exact", JSON(exact?.text)), ("names", .array(names.map { .string($0) })),
      ("valid", .bool(isValid)),
    ])
  }

  private static func create(_ request: APIRequest) async throws -> Response {
    let body = try await request.body()
    let name = try body.required("name")
    let isConfirmed = try body.flag("confirm")
    let key = try await request.server.library.write(as: request.session.person) { dataset, _ in
      try dataset.checkClasses([name], creating: isConfirmed ? [name] : [])
      dataset.beginOperation("serve: New class \(name)")
      return try dataset.createClass(name)
    }
    request.server.events.send("classes", [:])
    return .json([("class", .string(key.text))], status: .created)
  }

  private static func edit(_ request: APIRequest) async throws -> Response {
    let body = try await request.body()
    let text = request.parameter("class")
    guard let key = ClassKey(text) else {
      throw ServeError.invalid("“\(text)” is not the key of a class.")
    }
    let (name, alias) = (try body.text("name"), try body.text("alias"))
    let set = try body["set"].map { json -> ClassKey? in
      if json.isNull { return nil }
      guard let set = json.string.flatMap({ ClassKey(naming: $0) }) else {
        throw ServeError.invalid("“set” must be a name.")
      }
      return set
    }
    try await request.server.library.write(as: request.session.person) { dataset, _ in
      _ = try dataset.classKey(key.text)
      dataset.beginOperation("serve: Class \(key.text)")
      if let name { try dataset.renameClass(key, to: name) }
      if let alias { try dataset.aliasClass(alias, of: key) }
      if let set { try dataset.setClassSet(key, set) }
    }
    request.server.events.send("classes", [:])
    request.didEdit([])
    // Both change what labels mean.
    if alias != nil || set != nil { request.server.sendPhotos(nil, by: request.session.person) }
    return .json([("class", .string(key.text))])
  }
}

extension ClassRecord {
  fileprivate var json: JSON {
    [
      "aliases": .array(aliases.map { .string($0.text) }),
      "class": .string(labelClass.key.text), "name": .string(labelClass.name.value),
      "parent": JSON(labelClass.parent.value?.text), "photos": JSON(photos),
      "set": JSON(set?.text),
    ]
  }
}
