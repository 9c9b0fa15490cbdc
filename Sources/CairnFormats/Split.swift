public import CairnDocument

/// How photos are parted into sets for training and testing.
///
/// The part of a photo follows from its id, or from its pin's, and from nothing else: the same photo
/// is in the same part in each export, on each device, whatever else there is. With pins, photos of
/// one place are never parted.
public struct Split: Equatable, Sendable {
  /// Names with their shares, which need not add up to anything.
  public let parts: [(name: String, share: Double)]
  public var isByPin: Bool

  /// Reads `train=80,val=10,test=10`; nil when it is not like that.
  public init?(_ text: String, isByPin: Bool = false) {
    var parts: [(name: String, share: Double)] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let words = part.split(separator: "=", omittingEmptySubsequences: false)
      guard words.count == 2, let share = Double(words[1]), share > 0, share <= 1e9,
        ClassKey(String(words[0])) != nil, !parts.contains(where: { $0.name == words[0] })
      else { return nil }
      parts.append((String(words[0]), share))
    }
    if parts.isEmpty || parts.count > 64 { return nil }
    (self.parts, self.isByPin) = (parts, isByPin)
  }

  public static func == (a: Split, b: Split) -> Bool {
    a.isByPin == b.isByPin && a.parts.elementsEqual(b.parts, by: ==)
  }

  /// Returns the part of a photo; one without a pin is parted by its own id.
  public func part(of photo: PhotoID, at pin: PinID?) -> String {
    let id = isByPin ? pin?.text ?? photo.description : photo.description
    let total = parts.reduce(0) { $0 + $1.share }
    var rest = Split.fraction(id) * total
    for (name, share) in parts {
      if rest < share { return name }
      rest -= share
    }
    return parts[parts.count - 1].name
  }

  /// Returns a number from 0 up to 1 that follows from the text: FNV-1a of 64 bits, whose high bits
  /// are mixed as MurmurHash3 ends, since FNV leaves those of short texts alike.
  static func fraction(_ text: String) -> Double {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    hash = (hash ^ (hash >> 33)) &* 0xFF51_AFD7_ED55_8CCD
    hash = (hash ^ (hash >> 33)) &* 0xC4CE_B9FE_1A85_EC53
    hash ^= hash >> 33
    return Double(hash >> 11) / 9_007_199_254_740_992
  }
}
