internal import CairnDocument

/// Assigns pins to photos by location: the nearest pin within a distance, either existing or
/// planned so that every photo has one.
struct PinAssignment {
  /// A pin that is created when the first photo uses it.
  struct NewPin: Equatable {
    let location: Coordinate

    /// Derived from the location, so that two devices that import the same photos create the same
    /// pin.
    var id: PinID {
      PinID(unchecked: hexHash(Array("pin at \(degrees(8))".utf8), digits: PinID.digits))
    }

    /// The location in degrees, to about ten meters: `39.1150, -108.4010`.
    var name: String { degrees(4) }

    private func degrees(_ digits: Int) -> String {
      "\(fixed(location.latitude, digits)), \(fixed(location.longitude, digits))"
    }
  }

  /// The index of a pin in a plan.
  typealias Spot = Int

  private enum Known {
    case made(PinID)
    case planned(NewPin)
  }

  private var known: [Known] = []
  private var grid: SpatialIndex

  /// - Parameter meters: Maximum distance of a photo from its pin, in meters.
  init(_ pins: [Pin], within meters: Double) {
    grid = SpatialIndex(within: meters)
    for pin in pins.sorted(by: { $0.id < $1.id }) {
      grid.insert(known.count, at: pin.location.value)
      known.append(.made(pin.id))
    }
  }

  /// Plans pins so that each of these locations has one: densest clusters first, each pin at the
  /// location of a photo. The order of the locations makes no difference.
  mutating func cover(_ places: [Coordinate]) {
    let bare = places.filter { grid.nearest(to: $0) == nil }
    var crowd = Cluster(within: grid.meters)
    for place in bare { crowd.insert(place) }
    let ranked = bare.map { (place: $0, company: crowd.company(of: $0)) }.sorted { a, b in
      if a.company != b.company { return a.company > b.company }
      return (a.place.latitude, a.place.longitude) < (b.place.latitude, b.place.longitude)
    }
    for (place, _) in ranked where grid.nearest(to: place) == nil {
      grid.insert(known.count, at: place)
      known.append(.planned(NewPin(location: place)))
    }
  }

  func nearest(to place: Coordinate) -> Spot? { grid.nearest(to: place) }

  /// Returns the pin at an index of the plan.
  ///
  /// - Parameter make: Creates a planned pin.
  mutating func pin(at spot: Spot, make: (NewPin) throws -> PinID) rethrows -> PinID {
    switch known[spot] {
    case .made(let id): return id
    case .planned(let pin):
      let id = try make(pin)
      known[spot] = .made(id)
      return id
    }
  }
}

/// Returns a number of degrees with the given number of digits after the decimal point.
private func fixed(_ degrees: Double, _ digits: Int) -> String {
  let one = (0..<digits).reduce(1) { one, _ in one * 10 }
  let parts = Int((abs(degrees) * Double(one)).rounded())
  let fraction = String(parts % one)
  let zeros = String(repeating: "0", count: digits - fraction.count)
  return (degrees < 0 && parts > 0 ? "-" : "") + "\(parts / one).\(zeros)\(fraction)"
}
