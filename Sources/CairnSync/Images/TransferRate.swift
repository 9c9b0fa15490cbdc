/// A rate of transfers, as people write it: `500K`, `2M` or `2.5M`, in bytes per second.
public enum TransferRate {
  /// The smallest rate: below it, servers would give up between two pieces of an image.
  public static let minimum = 16 << 10

  /// Returns the rate that a text stands for; nil if it is invalid, or below ``minimum``. As in rclone
  /// and rsync, K, M and G are powers of 1024.
  public static func bytesPerSecond(_ text: String) -> Int? {
    let units: [Character: Double] = ["K": 1024, "M": 1_048_576, "G": 1_073_741_824]
    let unit = text.uppercased().last.flatMap { units[$0] }
    let digits = unit == nil ? text[...] : text.dropLast()
    guard digits.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }),
      let number = Double(digits), number * (unit ?? 1) <= 1e15
    else { return nil }
    let rate = Int(number * (unit ?? 1))
    return rate >= minimum ? rate : nil
  }
}
