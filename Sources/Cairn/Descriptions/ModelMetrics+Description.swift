internal import CairnBase
public import CairnMetrics

extension ModelMetrics.Undefined {
  /// Why a figure has no meaning, without a period.
  package var sentence: String {
    switch self {
    case .noClasses: "people labeled none of its classes"
    case .noPositives: "no photo has the class"
    case .noNegatives: "no photo lacks the class"
    }
  }
}

extension ModelMetrics.PerClass {
  /// Why some of its figures are dashes, without a period; empty if none is.
  package var undefinedText: String {
    if let undefined { return undefined.sentence }
    return matrix.predictions(1) == 0 ? "never predicted" : ""
  }
}

extension Proportion {
  /// `47.0% (45.1 to 48.9)`: the share and its 95% interval; a dash without trials.
  public var text: String {
    guard let interval else { return percent(value) }
    let (low, high) = (interval.lowerBound * 100, interval.upperBound * 100)
    return "\(percent(value)) (\(decimals(low, 1)) to \(decimals(high, 1)))"
  }
}
