package import CairnDocument

extension Mailmap {
  /// Returns the annotator under their proper address; a model is returned unchanged.
  package func person(_ annotator: Annotator) -> Annotator {
    guard annotator.isHuman else { return annotator }
    let identity = annotator.identity
    let address = address(of: identity)
    // Addresses are case-insensitive, and nearly all are in lower case already.
    let isPlain = identity.utf8.allSatisfy { 0x21..<0x7F ~= $0 && !(0x41...0x5A ~= $0) }
    if isPlain, address == identity { return annotator }
    return Annotator(email: address) ?? annotator
  }
}
