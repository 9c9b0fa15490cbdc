/// A document as a line of text has it: what can be filled in may be left out.
///
/// What is filled in depends on the line, the rules and the document that stands, and on nothing
/// else, so that what was imported once is known when it comes again.
public struct DocumentLine: Sendable {
  public let kind: DocumentKind
  private let members: JSONObject

  /// Reads a line; of what kind it is, it says, or its members make evident.
  public init(bytes: some Sequence<UInt8>) throws(DocumentError) {
    guard let members = try JSON(bytes: bytes).object else { throw .schema("not an object") }
    self.members = members
    if let kind = members["kind"] {
      guard let kind = kind.string.flatMap(DocumentKind.init(rawValue:)) else {
        throw .schema("“kind” is no kind of document")
      }
      self.kind = kind
    } else if let kind = DocumentLine.kind(of: members) {
      self.kind = kind
    } else {
      throw .schema("“kind” is missing, and nothing else tells it")
    }
  }

  private static func kind(of members: JSONObject) -> DocumentKind? {
    let telling: [(DocumentKind, [String])] = [
      (.label, ["photo", "class"]), (.class, ["key"]), (.pin, ["location"]),
      (.run, ["annotator", "id"]), (.photo, ["image"]),
    ]
    if let kind = telling.first(where: { $1.allSatisfy { members[$0] != nil } })?.0 { return kind }
    return members["id"]?.string.flatMap { PhotoID($0) } == nil ? nil : .photo
  }

  /// What is filled in where a line leaves it out.
  public struct Rules: Sendable {
    /// Of everything that has none.
    public var stamp: Stamp
    /// The person at work.
    public var person: Annotator
    /// Returns the key of the class that a name means which is not a key itself.
    public var classKey: @Sendable (String) throws(DocumentError) -> ClassKey

    public init(
      stamp: Stamp, person: Annotator,
      classKey: @escaping @Sendable (String) throws(DocumentError) -> ClassKey
    ) {
      (self.stamp, self.person, self.classKey) = (stamp, person, classKey)
    }
  }

  /// Returns where the document belongs.
  public func path(_ rules: Rules) throws(DocumentError) -> DocumentPath {
    let members = try identified(rules)
    switch kind {
    case .dataset: return .manifest
    case .pin: return .pin(try members.id("id") { PinID($0) })
    case .photo: return .photo(try members.id("id") { PhotoID($0) })
    case .class: return .class(try members.id("key") { ClassKey($0) })
    case .run: return .run(try members.id("id") { RunID($0) })
    case .label:
      let region = try members["region"].map { (json) throws(DocumentError) in
        try Region(json: json)
      }
      return .label(
        try members.id("photo") { PhotoID($0) },
        LabelName(
          classKey: try members.id("class") { ClassKey($0) },
          tag: try members.id("annotator") { Annotator($0) }.tag, region: region?.id))
    }
  }

  /// Returns the document.
  ///
  /// A register may be given as its bare value. Where that is the value that stands, nothing is said
  /// anew; else it is said now. What an existing document has and the line does not stays.
  /// - Parameters:
  ///   - existing: What stands at its path.
  ///   - stamp: Returns a stamp later than the one it replaces.
  public func document(
    _ rules: Rules, over existing: JSON? = nil, stamp: (Stamp) -> Stamp = { $0 }
  ) throws(DocumentError) -> Document {
    var members = try identified(rules)
    let old = existing?.object ?? [:]
    if kind == .label {
      members = completedLabel(members, rules, over: old, stamp: stamp)
    } else {
      try completeRegisters(&members, rules, over: old, stamp: stamp)
    }
    let json = JSON.object(members)
    switch kind {
    case .dataset: return .manifest(try Manifest(json: json))
    case .pin: return .pin(try Pin(json: json))
    case .photo: return .photo(try Photo(json: json))
    case .label: return .label(try Label(bytes: json.canonicalBytes))
    case .class: return .class(try LabelClass(json: json))
    case .run: return .run(try Run(json: json))
    }
  }

  // MARK: What it is

  /// Returns the members with those that tell its path.
  private func identified(_ rules: Rules) throws(DocumentError) -> JSONObject {
    var members = members
    members["kind"] = .string(kind.rawValue)
    switch kind {
    case .label:
      members.fill("annotator", .string(rules.person.description))
      if let name = members["class"]?.string, ClassKey(name) == nil {
        members["class"] = .string(try rules.classKey(name).text)
      }
      // Of the box itself, so that the same box is the same label when it comes again.
      if var region = members["region"]?.object, region["id"] == nil {
        region["id"] = .string(contentHash(region, digits: RegionID.digits))
        members["region"] = .object(region)
      }
    case .class:
      if members["key"] == nil, let name = members["name"].map(DocumentLine.value(of:))?.string,
        let key = ClassKey(naming: name)
      {
        members["key"] = .string(key.text)
      }
    case .pin:
      if members["id"] == nil {
        let place: JSONObject = [
          "location": members["location"].map(DocumentLine.value(of:)) ?? .null,
          "name": members["name"].map(DocumentLine.value(of:)) ?? "",
        ]
        members["id"] = .string(contentHash(place, digits: PinID.digits))
      }
    case .dataset, .photo, .run: break
    }
    return members
  }

  private func contentHash(_ members: JSONObject, digits: Int) -> String {
    hexHash(members.canonicalBytes, digits: digits)
  }

  // MARK: Labels

  /// A label is one statement: nothing of the one before goes into it but what this version does not
  /// know.
  private func completedLabel(
    _ members: JSONObject, _ rules: Rules, over old: JSONObject, stamp: (Stamp) -> Stamp
  ) -> JSONObject {
    var members = members
    members.fill("confidence", 1)
    members.fill("verdict", .string(Verdict.present.rawValue))
    if members["stamp"] != nil { return members }
    for (key, value) in old.members where !Label.members.contains(key) { members.fill(key, value) }
    guard let replaced = old["stamp"]?.string.flatMap({ Stamp($0) }) else {
      members["stamp"] = .string(rules.stamp.description)
      return members
    }
    members["stamp"] = old["stamp"]
    // Said again, it is what stands.
    if members != old { members["stamp"] = .string(stamp(replaced).description) }
    return members
  }

  // MARK: Registers

  private func completeRegisters(
    _ members: inout JSONObject, _ rules: Rules, over old: JSONObject, stamp: (Stamp) -> Stamp
  ) throws(DocumentError) {
    for key in givenRegisters + defaults(members).map(\.key) {
      guard let given = members[key], !given.isRegister else { continue }
      let value = DocumentLine.value(of: given)
      let replaced = old[key]?["stamp"]?.string.flatMap { Stamp($0) }
      if let before = old[key], before["value"] == value, replaced != nil {
        members[key] = before
      } else {
        let stamp = replaced.map(stamp) ?? rules.stamp
        members[key] = ["stamp": .string(stamp.description), "value": value]
      }
    }
    for (key, value) in old.members { members.fill(key, value) }
    for (key, value) in defaults(members) {
      members.fill(key, ["stamp": .string(rules.stamp.description), "value": value])
    }
    if kind == .run {
      members.fill("by", .string(rules.person.description))
      members.fill("parameters", [:])
      members.fill("started", .string(rules.stamp.description))
    }
  }

  /// The registers that every document of the kind has, with their values where nobody has said
  /// anything.
  private func defaults(_ members: JSONObject) -> [(key: String, value: JSON)] {
    switch kind {
    case .photo:
      [("caption", ""), ("pin", .null), ("removed", false), ("source", ""), ("title", "")]
    case .pin: [("name", ""), ("removed", false)]
    case .class: [("name", members["key"] ?? ""), ("parent", .null), ("removed", false)]
    case .run: [("withdrawn", false)]
    case .dataset, .label: []
    }
  }

  /// The registers that nothing can be filled in for.
  private var givenRegisters: [String] {
    switch kind {
    case .class: ["aliasOf", "set"]
    case .photo: ["credit"]
    case .pin: ["location"]
    case .dataset, .label, .run: []
    }
  }

  /// The value of a register, or of what stands in its place.
  private static func value(of member: JSON) -> JSON { member["value"] ?? member }
}

extension JSON {
  /// Whether this is a register with all that belongs to one.
  fileprivate var isRegister: Bool { self["stamp"] != nil && self["value"] != nil }
}

extension JSONObject {
  /// Puts a member in that is not there.
  fileprivate mutating func fill(_ key: String, _ value: JSON) {
    if self[key] == nil { self[key] = value }
  }
}
