internal import CairnBase

/// A location on the globe, in degrees on WGS 84.
public struct Coordinate: Equatable, Sendable {
  /// In degrees, from -90 to 90.
  public let latitude: Double
  /// In degrees, from -180 to 180.
  public let longitude: Double

  /// Creates a coordinate; nil unless the latitude is within ±90 and the longitude within ±180.
  public init?(latitude: Double, longitude: Double) {
    guard abs(latitude) <= 90, abs(longitude) <= 180 else { return nil }
    (self.latitude, self.longitude) = (latitude, longitude)
  }
}

extension UnitVector {
  package init(_ coordinate: Coordinate) {
    self.init(latitude: coordinate.latitude, longitude: coordinate.longitude)
  }
}

extension Coordinate: RegisterValue {
  package static var expectation: String { "a latitude within ±90 and a longitude within ±180" }

  package init?(json: JSON) {
    guard let latitude = json["latitude"]?.double, let longitude = json["longitude"]?.double
    else { return nil }
    self.init(latitude: latitude, longitude: longitude)
  }

  package var json: JSON { ["latitude": JSON(latitude), "longitude": JSON(longitude)] }
}

/// A location on the map with a name.
public struct Pin: RegisterDocument {
  public static let kind = DocumentKind.pin

  public private(set) var members: JSONObject
  /// The id of the pin.
  public let id: PinID
  /// Where the pin is on the map.
  public var location: Register<Coordinate> { didSet { members.set("location", location) } }
  /// The name; it may be empty.
  public var name: Register<String> { didSet { members.set("name", name) } }
  /// Whether the pin is hidden.
  public var removed: Register<Bool> { didSet { members.set("removed", removed) } }

  /// Creates a pin.
  public init(id: PinID, at location: Coordinate, name: String, stamp: Stamp) {
    self.id = id
    self.location = Register(location, stamp)
    self.name = Register(name, stamp)
    removed = Register(false, stamp)
    members = ["id": .string(id.text), "kind": .string(Pin.kind.rawValue)]
    members.set("location", self.location)
    members.set("name", self.name)
    members.set("removed", removed)
  }

  public init(checking members: JSONObject) throws(DocumentError) {
    id = try members.id("id") { PinID($0) }
    location = try members.register("location")
    name = try members.register("name")
    removed = try members.register("removed")
    self.members = members
  }
}
