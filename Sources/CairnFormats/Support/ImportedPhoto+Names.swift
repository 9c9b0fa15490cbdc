internal import CairnDocument

extension ImportedPhoto {
  /// Creates a photo from a path, or from a URL whose file may be on this disk.
  ///
  /// - Parameter id: The id of the observation or occurrence, after which its file may be named.
  init(urlOrFile text: String, id: String? = nil, location: ImportedLocation) {
    let names = ImageNames.candidates(url: text, id: id)
    self.init(names.first ?? text, location: location)
    otherFiles = Array(names.dropFirst())
    (fullName, observation) = (ImageNames.wholeName(ofURL: text), id)
  }
}

extension PinID {
  /// Creates an id that is the same for the same names on every device, so that importing a file
  /// again finds the same pin. Source: FNV-1a, 64 bits, with a salt.
  init(naming names: String...) {
    var salt: UInt8 = 0
    self.init(random: {
      var hash: UInt64 = 0xCBF2_9CE4_8422_2325
      for name in names {
        for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        hash = (hash ^ 0xFF) &* 0x100_0000_01B3
      }
      hash = (hash ^ UInt64(salt)) &* 0x100_0000_01B3
      salt += 1
      hash = (hash ^ (hash >> 33)) &* 0xFF51_AFD7_ED55_8CCD
      return hash ^ (hash >> 33)
    })
  }
}
