internal import CairnDocument

/// Assigns pins to photos by location: the nearest pin within a distance, which either exists or is
/// planned so that every location has a pin.
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

  /// The index of a pin in the assignment.
  typealias PinIndex = Int

  private enum PinState {
    case existing(PinID)
    case planned(NewPin)
  }

  private var pins: [PinState] = []
  private var index: SpatialIndex

  /// - Parameter meters: Maximum distance of a photo from its pin, in meters.
  init(_ pins: [Pin], within meters: Double) {
    index = SpatialIndex(within: meters)
    for pin in pins.sorted(by: { $0.id < $1.id }) {
      index.insert(self.pins.count, at: pin.location.value)
      self.pins.append(.existing(pin.id))
    }
  }

  /// Plans pins so that each of these locations has one: densest clusters first, each pin at the
  /// location of a photo. The order of the locations makes no difference.
  mutating func plan(for locations: [Coordinate]) {
    let withoutPin = locations.filter { index.nearest(to: $0) == nil }
    var density = DensityGrid(within: index.meters)
    for location in withoutPin { density.insert(location) }
    let ranked = withoutPin.map { (location: $0, count: density.count(around: $0)) }
      .sorted { a, b in
        if a.count != b.count { return a.count > b.count }
        return (a.location.latitude, a.location.longitude)
          < (b.location.latitude, b.location.longitude)
      }
    for (location, _) in ranked where index.nearest(to: location) == nil {
      index.insert(pins.count, at: location)
      pins.append(.planned(NewPin(location: location)))
    }
  }

  func nearest(to location: Coordinate) -> PinIndex? { index.nearest(to: location) }

  /// Returns the pin at an index; creates it if it is only planned.
  ///
  /// - Parameter create: Creates a planned pin.
  mutating func pin(at index: PinIndex, create: (NewPin) throws -> PinID) rethrows -> PinID {
    switch pins[index] {
    case .existing(let id): return id
    case .planned(let pin):
      let id = try create(pin)
      pins[index] = .existing(id)
      return id
    }
  }
}

/// Returns a number of degrees with the given number of digits after the decimal point.
private func fixed(_ degrees: Double, _ digits: Int) -> String {
  let unit = (0..<digits).reduce(1) { unit, _ in unit * 10 }
  let scaled = Int((abs(degrees) * Double(unit)).rounded())
  let fraction = String(scaled % unit)
  let zeros = String(repeating: "0", count: digits - fraction.count)
  return (degrees < 0 && scaled > 0 ? "-" : "") + "\(scaled / unit).\(zeros)\(fraction)"
}
