/// The policy that combines people's verdicts on a class of a photo.
public enum PeoplePolicy: String, Sendable, CaseIterable, RegisterValue {
  case majority, latest, unanimous
  /// Weighs votes by the error rates of people, estimated from all votes.
  case dawidSkene = "dawid-skene"

  package static var expectation: String { "majority, latest, unanimous or dawid-skene" }
  package init?(json: JSON) {
    guard let policy = json.string.flatMap(PeoplePolicy.init(rawValue:)) else { return nil }
    self = policy
  }
  package var json: JSON { .string(rawValue) }
}

/// A number between 0 and 1 as the value of a register.
public struct Fraction: Equatable, Sendable, RegisterValue {
  /// The number.
  public let value: Double

  package static var expectation: String { "a number between 0 and 1" }
  /// Creates a fraction; nil if the number is not between 0 and 1.
  public init?(_ value: Double) {
    guard 0...1 ~= value else { return nil }
    self.value = value
  }
  package init?(json: JSON) {
    guard let value = json.double else { return nil }
    self.init(value)
  }
  package var json: JSON { JSON(value) }
}

/// The document at the top of a dataset, `cairn.json`: its format and its resolution rules.
public struct Manifest: RegisterDocument {
  public static let kind = DocumentKind.dataset

  /// The latest format that this version reads and writes.
  package static let currentFormat = 1

  public private(set) var members: JSONObject
  /// The id of the dataset, which all its clones share.
  public let id: DatasetID
  /// The name of the dataset.
  public var name: Register<String> { didSet { members.set("name", name) } }
  /// The rule for disagreements between people.
  public var people: Register<PeoplePolicy> { didSet { setPolicy("people", people) } }
  /// The minimum confidence for a model's label to count.
  public var threshold: Register<Fraction> { didSet { setPolicy("threshold", threshold) } }
  /// Thresholds of single models, by name; null resets a model to the general threshold. Two
  /// encodings of a name are one model, and the entry that sorts last wins.
  public private(set) var thresholds: [String: Register<Fraction?>] = [:]

  /// Splits by name; null for a withdrawn split.
  public private(set) var splits: [String: Register<Split?>] = [:]

  /// Creates the manifest of a new dataset, with the default policy.
  public init(id: DatasetID, name: String, stamp: Stamp) {
    self.id = id
    self.name = Register(name, stamp)
    people = Register(.majority, stamp)
    threshold = Register(Fraction(0.5)!, stamp)
    members = [
      "format": JSON(Manifest.currentFormat), "id": .string(id.text),
      "kind": .string(Manifest.kind.rawValue),
    ]
    members.set("name", self.name)
    setPolicy("people", people)
    setPolicy("threshold", threshold)
  }

  public init(checking members: JSONObject) throws(DocumentError) {
    guard let format = members["format"]?.int, format > 0 else {
      throw .schema("“format” is missing or not a number")
    }
    if format > Manifest.currentFormat {
      throw DocumentError(
        .newerFormat,
        "format \(format), but this version of cairn supports only \(Manifest.currentFormat)")
    }
    id = try members.id("id") { DatasetID($0) }
    name = try members.register("name")
    let policy = members["policy"]?.object ?? [:]
    people = try policy.register("people")
    threshold = try policy.register("threshold")
    if let member = policy["thresholds"] {
      guard let models = member.object else { throw .schema("“thresholds” is not an object") }
      for (model, _) in models.members { thresholds[model] = try models.register(model) }
    }
    if let member = members["splits"] {
      guard let named = member.object else { throw .schema("“splits” is not an object") }
      for (name, _) in named.members { splits[name] = try named.register(name) }
    }
    self.members = members
  }

  /// Records a split under a name; null withdraws it.
  public mutating func setSplit(_ name: String, _ register: Register<Split?>) {
    splits[name] = register
    var named = members["splits"]?.object ?? [:]
    named.set(named.lastKey(equivalentTo: name), register)
    members["splits"] = .object(named)
  }

  /// Sets a separate threshold for the model called `model`; null removes it.
  public mutating func setThreshold(of model: String, _ register: Register<Fraction?>) {
    thresholds[model] = register
    var policy = members["policy"]?.object ?? [:]
    var models = policy["thresholds"]?.object ?? [:]
    models.set(models.lastKey(equivalentTo: model), register)
    policy["thresholds"] = .object(models)
    members["policy"] = .object(policy)
  }

  private mutating func setPolicy(_ key: String, _ register: Register<some RegisterValue>) {
    var policy = members["policy"]?.object ?? [:]
    policy.set(key, register)
    members["policy"] = .object(policy)
  }
}

extension JSONObject {
  /// Returns the key of the last member with this name in any Unicode encoding, which is the one that
  /// counts; the name itself if there is none.
  fileprivate func lastKey(equivalentTo name: String) -> String {
    members.last { $0.key == name }?.key ?? name
  }
}
