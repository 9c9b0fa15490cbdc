internal import CairnBase
public import CairnMetrics

extension Coefficient: CustomStringConvertible {
  /// `0.412`; a dash if it is undefined.
  public var description: String { ratio(value) }
}

extension Coefficient.Reason {
  /// The reason as a phrase, such as `no two people rated the same photo`.
  package var sentence: String {
    switch self {
    case .noOverlap: "no two people rated the same photo"
    case .noVariation: "all ratings are equal, so chance alone would also agree"
    }
  }
}
