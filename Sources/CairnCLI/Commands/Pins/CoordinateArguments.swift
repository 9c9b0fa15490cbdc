import ArgumentParser
import Cairn

/// Degrees on the command line; negative for south and west.
struct Degrees: ExpressibleByArgument {
  let value: Double

  init?(argument: String) {
    guard let value = Double(ArgumentEscaping.unescaped(argument)), value.isFinite else {
      return nil
    }
    self.value = value
  }
}

struct CoordinateArguments: ParsableArguments {
  @Argument(help: "Degrees north, between -90 and 90.") var latitude: Degrees
  @Argument(help: "Degrees east, between -180 and 180.") var longitude: Degrees

  func coordinate() throws -> Coordinate {
    guard let coordinate = Coordinate(latitude: latitude.value, longitude: longitude.value) else {
      throw CairnError(
        .invalidInput,
        "\(latitude.value), \(longitude.value) is not a location: "
          + "the latitude must be within ±90, the longitude within ±180.",
        hint: "Latitude comes first: `cairn pin add 48.8584 2.2945`.")
    }
    return coordinate
  }
}
