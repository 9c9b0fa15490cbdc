public import CairnMetrics

extension Coefficient.Reason {
  /// The reason as a phrase, such as `no two people rated the same photo`.
  public var sentence: String {
    switch self {
    case .noOverlap: "no two people rated the same photo"
    case .noVariation: "all ratings are equal, so chance alone would also agree"
    }
  }
}
