/// Confidence intervals by resampling: each photo counts as often as a Poisson distribution with
/// mean 1 says, instead of once.
///
/// `count` equal photos together count as often as a Poisson distribution with mean `count` says, so
/// a resample takes time in proportion to the number of different photos, not of all. The generator
/// has a fixed seed: equal data give equal intervals, on every machine.
///
/// Source: B. Efron, “Bootstrap methods: another look at the jackknife”, 1979 (percentile interval);
/// N. Chamandy et al., “Estimating uncertainty for massive data streams”, 2012 (Poisson weights).
struct PoissonBootstrap {
  private var state: UInt64 = 0x9E37_79B9_7F4A_7C15

  /// Returns the interval that holds 95% of the values of a statistic over resamples; nil if the
  /// statistic is undefined for most resamples.
  ///
  /// - Parameters:
  ///   - counts: The number of photos of each kind.
  ///   - statistic: Computes a value of the resampled numbers, in the same order.
  static func interval(
    of counts: [Int], resamples: Int = 1000, _ statistic: ([Int]) -> Double?
  ) -> ClosedRange<Double>? {
    var bootstrap = PoissonBootstrap()
    var values: [Double] = []
    var resampled = counts
    for _ in 0..<resamples {
      for index in counts.indices { resampled[index] = bootstrap.draw(mean: counts[index]) }
      if let value = statistic(resampled) { values.append(value) }
    }
    guard values.count * 2 > resamples else { return nil }
    values.sort()
    let last = Double(values.count - 1)
    let low = values[Int((0.025 * last).rounded(.down))]
    let high = values[Int((0.975 * last).rounded(.up))]
    return low...high
  }

  /// Above this mean, the normal distribution is close enough.
  private static let normalFrom = 30

  /// Returns a number from a Poisson distribution, computed without functions whose last digit
  /// differs between machines.
  private mutating func draw(mean: Int) -> Int {
    if mean < PoissonBootstrap.normalFrom {
      return (0..<max(mean, 0)).reduce(0) { sum, _ in sum + drawOfMeanOne() }
    }
    // The sum of twelve uniform numbers has the variance 1.
    let normal = (0..<12).reduce(-6.0) { sum, _ in sum + uniform() }
    let value = Double(mean) + Double(mean).squareRoot() * normal
    return max(0, Int(value.rounded()))
  }

  /// The distribution function of the Poisson distribution with mean 1, for 0, 1, 2…
  private static let distribution = [
    0.36787944117144233, 0.7357588823428847, 0.9196986029286058, 0.9810118431238462,
    0.9963401531726563, 0.9994058151824183, 0.9999167588507119, 0.9999897508033253,
    0.999998874797402, 0.9999998885745217,
  ]

  private mutating func drawOfMeanOne() -> Int {
    let value = uniform()
    return PoissonBootstrap.distribution.firstIndex { value < $0 }
      ?? PoissonBootstrap.distribution.count
  }

  /// Returns a number from 0 to 1, without 1.
  ///
  /// Source: G. L. Steele, D. Lea and C. H. Flood, “Fast splittable pseudorandom number
  /// generators”, 2014 (SplitMix64).
  private mutating func uniform() -> Double {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    mixed ^= mixed >> 31
    return Double(mixed >> 11) / Double(UInt64(1) << 53)
  }
}
