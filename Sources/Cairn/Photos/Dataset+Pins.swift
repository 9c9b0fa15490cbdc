internal import CairnDocument
internal import CairnIndex
internal import CairnStore
internal import CairnSync

extension Dataset {
  /// Adds a pin. A name may be empty.
  @discardableResult
  public func addPin(at location: Coordinate, name: String = "") throws(CairnError) -> Pin {
    try edit("pin add") { session in
      let pin = Pin(
        id: PinID(random: environment.random), at: location, name: try checkedText(name, "name"),
        stamp: session.stamp())
      try session.write([.pin(pin)])
      return pin
    }
  }

  /// Returns the pins, sorted by name, without removed ones unless asked for.
  public func pins(includingRemoved: Bool = false) throws(CairnError) -> [Pin] {
    try translating {
      try query { try $0.pins() }.filter { includingRemoved || !$0.removed.value }
    }
  }

  /// Returns the number of visible photos of each pin.
  public func photoCounts() throws(CairnError) -> [PinID: Int] {
    try translating { try query { try $0.photoCounts() } }
  }

  /// Moves a pin. Its photos stay assigned to it.
  ///
  /// - Throws: ``CairnError/Kind/notFound`` when there is no such pin.
  @discardableResult
  public func movePin(_ id: PinID, to location: Coordinate) throws(CairnError) -> Pin {
    try editPin(id, "pin move") { pin, session in
      session.set(&pin.location, to: location)
    }
  }

  /// Renames a pin. A name may be empty.
  ///
  /// - Throws: ``CairnError/Kind/notFound`` when there is no such pin.
  @discardableResult
  public func renamePin(_ id: PinID, to name: String) throws(CairnError) -> Pin {
    try editPin(id, "pin rename") { pin, session in
      session.set(&pin.name, to: try checkedText(name, "name"))
    }
  }

  /// Removes a pin, or restores a removed one. Its photos stay and keep their pin.
  @discardableResult
  public func setPinRemoved(_ id: PinID, _ removed: Bool) throws(CairnError) -> Pin {
    try editPin(id, removed ? "pin remove" : "pin restore") { pin, session in
      session.set(&pin.removed, to: removed)
    }
  }

  private func editPin(
    _ id: PinID, _ command: String, _ change: (inout Pin, EditSession) throws -> Void
  ) throws(CairnError) -> Pin {
    try edit(command) { session in
      guard case .pin(let old) = try replica.document(at: .pin(id)) else {
        throw CairnError(.notFound, "There is no pin \(id).")
      }
      var pin = old
      try change(&pin, session)
      if pin != old { try session.write([.pin(pin)]) }
      return pin
    }
  }

  /// Returns the text without white space at its ends, if it fits a document.
  func checkedText(_ text: String, _ what: String) throws -> String {
    let text = text.trimmingSpaces()
    guard text.utf8.count <= DocumentLimit.textLength else {
      throw CairnError(
        .invalidInput, "The \(what) is longer than \(DocumentLimit.textLength) bytes.")
    }
    return text
  }
}
