/// The author and origin of a photo, as reported by the service that it was fetched from.
public struct Credit: Equatable, Sendable {
  /// The name of the author.
  public var author: String?
  /// The license by its usual name (“CC BY-SA 4.0”), or its URL.
  public var license: String?
  /// The URL of the page that shows it.
  public var page: String?
  /// The name of the source: commons, flickr …
  public var service: String?
  /// The title that the source gives the photo.
  public var title: String?
  /// The URL of the image itself.
  public var url: String?
  /// Where the photo was taken according to the source.
  public var location: ReportedLocation?
  /// When the photo was taken according to the source.
  public var taken: ReportedTime?
  /// Members that this version does not know.
  package var extra = JSONObject()

  /// Creates a credit without any facts.
  public init() {}
}

extension Credit: RegisterValue {
  package static var expectation: String {
    "an object with texts of at most \(DocumentLimit.textLength) bytes, a location and a date"
  }

  private static var members: [(String, WritableKeyPath<Credit, String?>)] {
    [
      ("author", \.author), ("licence", \.license), ("page", \.page), ("service", \.service),
      ("title", \.title), ("url", \.url),
    ]
  }

  package init?(json: JSON) {
    guard let object = json.object else { return nil }
    extra = object
    for (key, path) in Credit.members {
      guard let member = object[key] else { continue }
      guard let text = String(json: member) else { return nil }
      self[keyPath: path] = text
      extra[key] = nil
    }
    if let member = object["place"] {
      guard let location = ReportedLocation(json: member) else { return nil }
      self.location = location
      extra["place"] = nil
    }
    if let member = object["taken"] {
      guard let taken = member.string.flatMap({ ReportedTime($0) }) else { return nil }
      self.taken = taken
      extra["taken"] = nil
    }
  }

  package var json: JSON {
    var object = extra
    for (key, path) in Credit.members { object[key] = self[keyPath: path].map { .string($0) } }
    object["place"] = location?.json
    object["taken"] = taken.map { .string($0.description) }
    return .object(object)
  }
}
