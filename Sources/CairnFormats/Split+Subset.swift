package import CairnDocument

extension Split {
  /// Returns the name of a photo's subset; without a pin, the photo's own id decides.
  package func subset(of photo: PhotoID, at pin: PinID?) -> String {
    let id = isByPin ? pin?.text ?? photo.description : photo.description
    let total = subsets.reduce(0) { $0 + $1.share }
    var rest = Split.fraction(salt.isEmpty ? id : "\(salt):\(id)") * total
    for subset in subsets {
      if rest < subset.share { return subset.name }
      rest -= subset.share
    }
    return subsets[subsets.count - 1].name
  }

  /// Returns a number from 0 up to 1 determined by the text: a 64-bit FNV-1a hash with
  /// MurmurHash3's finalizer, since FNV barely varies the high bits for short texts.
  static func fraction(_ text: String) -> Double {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    hash = (hash ^ (hash >> 33)) &* 0xFF51_AFD7_ED55_8CCD
    hash = (hash ^ (hash >> 33)) &* 0xC4CE_B9FE_1A85_EC53
    hash ^= hash >> 33
    return Double(hash >> 11) / 9_007_199_254_740_992
  }
}
