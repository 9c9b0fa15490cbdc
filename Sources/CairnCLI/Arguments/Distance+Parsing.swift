import Cairn
import CairnBase

extension Distance {
  /// Returns the meters of an option's value.
  static func parse(_ text: some StringProtocol) throws(CairnError) -> Double {
    guard let meters = Distance.meters(text) else {
      throw CairnError(
        .invalidInput, "“\(text)” is not a distance.", hint: "For example: 500m or 2km.")
    }
    return meters
  }
}
