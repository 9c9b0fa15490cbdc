/// A document as a line of text, with defaults filled in for members that it omits.
///
/// The defaults depend only on the line, the rules and the existing document, so that importing a
/// line again changes nothing.
package struct DocumentLine: Sendable {
  package let kind: DocumentKind
  private let members: JSONObject

  /// Reads a line; its kind is recorded in the line or inferred from its members.
  package init(bytes: some Sequence<UInt8>) throws(DocumentError) {
    guard let members = try JSON(bytes: bytes).object else { throw .schema("not an object") }
    self.members = members
    if let kind = members["kind"] {
      guard let kind = kind.string.flatMap(DocumentKind.init(rawValue:)) else {
        throw .schema("“kind” is not a document kind")
      }
      self.kind = kind
    } else if let kind = DocumentLine.kind(of: members) {
      self.kind = kind
    } else {
      throw .schema("“kind” is missing and cannot be inferred from the other fields")
    }
  }

  private static func kind(of members: JSONObject) -> DocumentKind? {
    let identifying: [(DocumentKind, [String])] = [
      (.label, ["photo", "class"]), (.class, ["key"]), (.pin, ["location"]),
      (.run, ["annotator", "id"]), (.photo, ["image"]), (.erasure, ["erased", "photo"]),
      (.redaction, ["person"]), (.redaction, ["position", "photo"]),
      (.redaction, ["metadata", "photo"]),
    ]
    if let kind = identifying.first(where: { $1.allSatisfy { members[$0] != nil } })?.0 {
      return kind
    }
    return members["id"]?.string.flatMap { PhotoID($0) } == nil ? nil : .photo
  }

  /// The defaults for members that a line omits.
  package struct Rules: Sendable {
    /// The stamp of every register without one.
    package var stamp: Stamp
    /// The current user.
    package var person: Annotator
    /// Returns the key of the class with a name that is not a key itself.
    package var classKey: @Sendable (String) throws(DocumentError) -> ClassKey

    package init(
      stamp: Stamp, person: Annotator,
      classKey: @escaping @Sendable (String) throws(DocumentError) -> ClassKey
    ) {
      (self.stamp, self.person, self.classKey) = (stamp, person, classKey)
    }
  }

  /// Returns the path of the document.
  package func path(_ rules: Rules) throws(DocumentError) -> DocumentPath {
    let members = try identified(rules)
    switch kind {
    case .dataset: return .manifest
    case .pin: return .pin(try members.id("id") { PinID($0) })
    case .photo: return .photo(try members.id("id") { PhotoID($0) })
    case .class: return .class(try members.id("key") { ClassKey($0) })
    case .run: return .run(try members.id("id") { RunID($0) })
    case .erasure: return .erasure(try members.id("photo") { PhotoID($0) })
    case .redaction:
      if members["photo"] != nil {
        return .redaction(.photo(try members.id("photo") { PhotoID($0) }))
      }
      return .redaction(.person(try members.id("person") { ErasedPersonID($0) }))
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
  /// A register may be given as its bare value. If that equals the current value, the register is
  /// unchanged; otherwise it gets a new stamp. Members that only the existing document has are
  /// kept.
  /// - Parameters:
  ///   - existing: The document at its path.
  ///   - stamp: Returns a stamp later than the one it replaces.
  package func document(
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
    case .erasure: return .erasure(try Erasure(json: json))
    case .redaction: return .redaction(try Redaction(json: json))
    }
  }

  // MARK: Identity

  /// Returns the members, completed with those that determine the path.
  private func identified(_ rules: Rules) throws(DocumentError) -> JSONObject {
    var members = members
    members["kind"] = .string(kind.rawValue)
    switch kind {
    case .label:
      members.fill("annotator", .string(rules.person.description))
      if let name = members["class"]?.string, ClassKey(name) == nil {
        members["class"] = .string(try rules.classKey(name).text)
      }
      // Hash the box itself, so that importing the same box again gives the same label.
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
        let content: JSONObject = [
          "location": members["location"].map(DocumentLine.value(of:)) ?? .null,
          "name": members["name"].map(DocumentLine.value(of:)) ?? "",
        ]
        members["id"] = .string(contentHash(content, digits: PinID.digits))
      }
    case .dataset, .photo, .run, .erasure, .redaction: break
    }
    return members
  }

  private func contentHash(_ members: JSONObject, digits: Int) -> String {
    hexHash(members.canonicalBytes, digits: digits)
  }

  // MARK: Labels

  /// Completes a label. A label is one register: of the previous version it keeps only members that
  /// this version of cairn does not know.
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
    // An unchanged label keeps its stamp.
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
    if kind == .erasure { members.fill("stores", [:]) }
    if kind == .run {
      members.fill("by", .string(rules.person.description))
      members.fill("parameters", [:])
      members.fill("started", .string(rules.stamp.description))
    }
  }

  /// Returns the registers that every document of the kind has, with their default values.
  private func defaults(_ members: JSONObject) -> [(key: String, value: JSON)] {
    switch kind {
    case .photo:
      [("caption", ""), ("pin", .null), ("removed", false), ("source", ""), ("title", "")]
    case .pin: [("name", ""), ("removed", false)]
    case .class: [("name", members["key"] ?? ""), ("parent", .null), ("removed", false)]
    case .run: [("withdrawn", false)]
    case .dataset, .label, .erasure, .redaction: []
    }
  }

  /// The registers without a default.
  private var givenRegisters: [String] {
    switch kind {
    case .class: ["aliasOf", "set"]
    case .photo: ["credit"]
    case .pin: ["location"]
    case .erasure: ["erased"]
    case .redaction: Redaction.Fact.allCases.map(\.rawValue)
    case .dataset, .label, .run: []
    }
  }

  /// Returns the value of a register, or a bare value unchanged.
  private static func value(of member: JSON) -> JSON { member["value"] ?? member }
}

extension JSON {
  /// Whether this is a complete register.
  fileprivate var isRegister: Bool { self["stamp"] != nil && self["value"] != nil }
}

extension JSONObject {
  /// Adds a member if it is missing.
  fileprivate mutating func fill(_ key: String, _ value: JSON) {
    if self[key] == nil { self[key] = value }
  }
}
