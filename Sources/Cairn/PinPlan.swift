internal import CairnDocument

/// Which pin photos get by their places: the nearest within a distance, of those there are and of those
/// that are planned so that every photo has one.
struct PinPlan {
  /// A pin that is made when the first photo gets it.
  struct NewPin: Equatable {
    let location: Coordinate

    /// A function of the place, so that two devices that import the same photos make the same pin.
    var id: PinID {
      PinID(unchecked: hexHash(Array("pin at \(degrees(8))".utf8), digits: PinID.digits))
    }

    /// The place in degrees, to some ten metres: `39.1150, -108.4010`.
    var name: String { degrees(4) }

    private func degrees(_ digits: Int) -> String {
      "\(fixed(location.latitude, digits)), \(fixed(location.longitude, digits))"
    }
  }

  /// The number of a pin in a plan.
  typealias Spot = Int

  private enum Known {
    case made(PinID)
    case planned(NewPin)
  }

  private var known: [Known] = []
  private var grid: PlaceGrid

  /// - Parameter metres: How far a photo may be from its pin.
  init(_ pins: [Pin], within metres: Double) {
    grid = PlaceGrid(within: metres)
    for pin in pins.sorted(by: { $0.id < $1.id }) {
      grid.insert(known.count, at: pin.location.value)
      known.append(.made(pin.id))
    }
  }

  /// Plans pins so that each of these places has one: where most are together first, each at the place
  /// of a photo. The order of the places makes no difference.
  mutating func cover(_ places: [Coordinate]) {
    let bare = places.filter { grid.nearest(to: $0) == nil }
    var crowd = Crowd(within: grid.metres)
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

  /// Returns the pin at a spot.
  ///
  /// - Parameter make: Makes one that is planned.
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

/// A number of degrees with so many digits after the point.
private func fixed(_ degrees: Double, _ digits: Int) -> String {
  let one = (0..<digits).reduce(1) { one, _ in one * 10 }
  let parts = Int((abs(degrees) * Double(one)).rounded())
  let fraction = String(parts % one)
  let zeros = String(repeating: "0", count: digits - fraction.count)
  return (degrees < 0 && parts > 0 ? "-" : "") + "\(parts / one).\(zeros)\(fraction)"
}
