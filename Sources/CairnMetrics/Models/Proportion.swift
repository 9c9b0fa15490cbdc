/// A share of a number of trials, with its uncertainty.
///
/// 47 right answers of 100: `value` is 0.47, `interval` is 0.375 to 0.567.
public struct Proportion: Equatable, Sendable {
  /// The number of successes.
  public let hits: Int
  /// The number of trials.
  public let count: Int
  /// The number of groups of trials; trials of one group are not independent of each other.
  package let groups: Int

  /// Creates a share. 0 ≤ `hits` ≤ `count`.
  ///
  /// - Parameter groups: Nil if all trials are independent.
  package init(_ hits: Int, of count: Int, groups: Int? = nil) {
    (self.hits, self.count, self.groups) = (hits, count, groups ?? count)
  }

  /// The share, 0 to 1; nil without trials.
  public var value: Double? { count > 0 ? Double(hits) / Double(count) : nil }

  /// The Wilson score interval for a confidence of 95%; nil without trials. A group counts as one
  /// trial, as if all its trials had the same outcome, which is cautious.
  ///
  /// Source: E. B. Wilson, “Probable inference, the law of succession, and statistical inference”,
  /// 1927.
  public var interval: ClosedRange<Double>? {
    guard let share = value else { return nil }
    let trials = Double(groups)
    let square = Proportion.quantile * Proportion.quantile
    let scale = 1 + square / trials
    let center = (share + square / (2 * trials)) / scale
    let variance = share * (1 - share) / trials + square / (4 * trials * trials)
    let half = Proportion.quantile * variance.squareRoot() / scale
    // At 0 and 1 the limit is exact; rounding could exceed it.
    let low = hits == 0 ? 0 : max(0, center - half)
    let high = hits == count ? 1 : min(1, center + half)
    return low...high
  }

  /// The 97.5% quantile of the standard normal distribution.
  private static let quantile = 1.959963984540054
}
