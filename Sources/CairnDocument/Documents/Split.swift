/// A split of photos into subsets for training and testing.
///
/// The subset of a photo depends only on its id, or on its pin's: the same photo is in the same
/// subset in every export and on every device, whatever other photos the dataset has. A split by
/// pin keeps the photos of a pin together.
public struct Split: Equatable, Sendable {
  /// A subset and its share of the photos.
  public struct Subset: Equatable, Sendable {
    /// Such as `train`.
    public let name: String
    /// In any unit: only its ratio to the sum of all shares matters.
    public let share: Double
  }

  /// The shares may have any sum.
  public let subsets: [Subset]
  /// Whether the photos of a pin stay together.
  public var isByPin: Bool
  /// Part of the hash, so that splits with different salts divide photos differently.
  public var salt: String
  /// Members that this version does not know.
  private var extra = JSONObject()

  /// Parses `train=80,val=10,test=10`; nil if it is invalid.
  public init?(_ text: String, isByPin: Bool = false, salt: String = "") {
    var subsets: [Subset] = []
    for item in text.split(separator: ",", omittingEmptySubsequences: false) {
      let pair = item.split(separator: "=", omittingEmptySubsequences: false)
      guard pair.count == 2, let share = Double(pair[1]) else { return nil }
      subsets.append(Subset(name: String(pair[0]), share: share))
    }
    self.init(subsets, isByPin: isByPin, salt: salt)
  }

  private static let subsetLimit = 64
  private static let saltLimit = 64

  private init?(_ subsets: [Subset], isByPin: Bool, salt: String) {
    guard 1...Split.subsetLimit ~= subsets.count, salt.utf8.count <= Split.saltLimit,
      Set(subsets.map(\.name)).count == subsets.count,
      subsets.allSatisfy({ $0.share > 0 && $0.share <= 1e9 && ClassKey($0.name) != nil })
    else { return nil }
    (self.subsets, self.isByPin, self.salt) = (subsets, isByPin, salt)
  }

  /// The form that ``init(_:isByPin:salt:)`` parses: `train=80,val=10,test=10`.
  public var text: String {
    subsets.map { "\($0.name)=\(JSONNumber($0.share).text)" }.joined(separator: ",")
  }
}

extension Split: RegisterValue {
  package static var expectation: String {
    "an object with “by” (photo or pin) and “parts” (names and shares)"
  }

  package init?(json: JSON) {
    guard var object = json.object, let list = object["parts"]?.array,
      let basis = object["by"]?.string, basis == "photo" || basis == "pin"
    else { return nil }
    let subsets = list.compactMap { item -> Subset? in
      guard let name = item["name"]?.string, let share = item["share"]?.double else { return nil }
      return Subset(name: name, share: share)
    }
    let salt = object["salt"] ?? ""
    guard subsets.count == list.count, let salt = salt.string else { return nil }
    self.init(subsets, isByPin: basis == "pin", salt: salt)
    for key in ["by", "parts", "salt"] { object[key] = nil }
    extra = object
  }

  package var json: JSON {
    var object = extra
    object["by"] = isByPin ? "pin" : "photo"
    object["parts"] = .array(
      subsets.map { ["name": .string($0.name), "share": JSON($0.share)] })
    if !salt.isEmpty { object["salt"] = .string(salt) }
    return .object(object)
  }
}
