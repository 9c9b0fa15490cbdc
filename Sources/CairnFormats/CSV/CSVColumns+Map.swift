internal import CairnBase
internal import CairnDocument

/// The names of the columns that `--map` gives, and what to do when columns are not found.
extension CSVColumns {
  /// Takes the columns that the user names.
  ///
  /// - Parameters:
  ///   - map: Names or numbers of columns, counted from 1, by role or by metadata; `=oak` for
  ///     `label` is the class of all rows.
  mutating func take(_ map: [String: String], _ location: ImportedLocation) throws {
    for (key, value) in map.sorted(by: { $0.key < $1.key }) {
      switch key {
      case "units":
        guard let unit = Unit(rawValue: value) else {
          throw FormatError(
            location, "the units of boxes are fractions or pixels, not “\(value.prefix(64))”",
            hint: "For example: `--map units=pixels`.")
        }
        self.unit = unit
      case "zeros":
        guard ["absent", "unknown"].contains(value) else {
          throw FormatError(
            location, "zeros are absent or unknown, not “\(value.prefix(64))”",
            hint: "For example: `--map zeros=absent`.")
        }
        zerosAreAbsent = value == "absent"
      case "label" where value.hasPrefix("="):
        roles[.label] = nil
        constantLabel = String(value.dropFirst())
      default: try take(key, column(value, location), location)
      }
    }
  }

  private mutating func take(_ key: String, _ index: Int, _ location: ImportedLocation) throws {
    mapped.insert(index)
    for (role, column) in roles where column == index { roles[role] = nil }
    for (name, column) in metadata where column == index { metadata[name] = nil }
    if let role = CSVRole(rawValue: key) {
      // The box of the header gives way to the one that is named.
      for box in CSVRole.boxes.map(\.roles) where box.contains(role) && role != .width {
        for other in CSVRole.boxes.flatMap(\.roles) where !box.contains(other) {
          roles[other] = nil
        }
        roles[.bbox] = nil
        break
      }
      roles[role] = index
    } else if CSVColumns.metadataColumns.contains(where: { $0.rawValue == key }) {
      metadata[key] = index
    } else {
      let known = CSVRole.allCases.map(\.rawValue) + CSVColumns.metadataColumns.map(\.rawValue)
      throw FormatError(
        location, "“\(key.prefix(64))” is not a key of --map",
        hint: "Use one of \((known + ["units", "zeros"]).joined(separator: ", ")).")
    }
  }

  /// Returns the index of a column by its name, or by its number, counted from 1.
  private func column(_ name: String, _ location: ImportedLocation) throws -> Int {
    if let index = header.firstIndex(of: name) { return index }
    let folded = CSVRole.folded(name)
    if let index = header.firstIndex(where: { CSVRole.folded($0) == folded }) { return index }
    if let number = Int(name), number > 0, number <= (count ?? CSVColumns.limit) {
      return number - 1
    }
    throw FormatError(
      location, "there is no column “\(name.prefix(64))”; found \(found)",
      hint: "Give the name of a column, or its number, such as `--map image=1`.")
  }

  private static let limit = 4096

  /// The found columns, for a message.
  private var found: String {
    if header.isEmpty { return "\(count ?? 0) columns without names" }
    let names = header.prefix(30).map { $0.isEmpty ? "“”" : String($0.prefix(64)) }
    return names.joined(separator: ", ") + (header.count > 30 ? ", …" : "")
  }

  // MARK: Missing columns

  /// Throws the error about columns that are not found, with a mapping that could be meant.
  func checkComplete(_ rows: some Collection<[String]>, _ location: ImportedLocation) throws {
    if let box = incompleteBox {
      let names = box.map(\.rawValue).joined(separator: ", ")
      throw FormatError(
        location, "some of the columns \(names) are missing; found \(found)",
        hint: "Name them, such as `--map \(box.map { "\($0.rawValue)=…" }.joined(separator: ","))`."
      )
    }
    if isComplete { return }
    var free = unused.map(\.index)
    if header.isEmpty { free = Array(0..<(count ?? 0)).filter { !roles.values.contains($0) } }
    var pairs: [String] = []
    if !namesPhotos, let index = likelyImage(rows, among: free) {
      free.removeAll { $0 == index }
      pairs.append("image=\(reference(index))")
    }
    if !namesClasses {
      pairs.append(
        likelyLabel(rows, among: free).map { "label=\(reference($0))" } ?? "label==CLASS")
    }
    let missing =
      namesPhotos
      ? "no column is recognized as the class"
      : namesClasses
        ? "no column is recognized as the image"
        : "no columns are recognized as the image and the class"
    let map = CSVColumns.quoted(pairs.joined(separator: ","))
    throw FormatError(
      location, "\(missing); found \(found)",
      hint: "Name them: add `--map \(map)`, if that is what you mean.")
  }

  /// Returns the column whose cells, or whose name, look like those of images.
  private func likelyImage(_ rows: some Collection<[String]>, among columns: [Int]) -> Int? {
    let hasImages = columns.first { column in
      rows.contains { column < $0.count && CSVShape.isImage($0[column]) }
    }
    let words = ["image", "file", "photo", "path", "picture", "img", "url", "id"]
    return hasImages ?? named(words, among: columns) ?? columns.first
  }

  /// Returns the column whose name looks like that of classes; otherwise the one with the fewest
  /// different texts.
  private func likelyLabel(_ rows: some Collection<[String]>, among columns: [Int]) -> Int? {
    let words = [
      "label", "class", "species", "categ", "taxon", "tag", "breed", "type", "target", "name",
    ]
    if let index = named(words, among: columns) { return index }
    func texts(_ column: Int) -> Set<String> {
      Set(rows.lazy.filter { column < $0.count }.map { $0[column] })
    }
    let candidates = columns.filter { column in
      let cells = texts(column)
      return cells.contains { !$0.isEmpty && Double($0.trimmingSpaces()) == nil }
        && !cells.contains { $0.hasPrefix("[") }
    }
    // A table of boxes with a source and the like has one class, which no column names.
    if box != nil { return nil }
    return candidates.min { (texts($0).count, $0) < (texts($1).count, $1) } ?? columns.first
  }

  private func named(_ words: [String], among columns: [Int]) -> Int? {
    for word in words {
      let found = columns.first { $0 < header.count && CSVRole.folded(header[$0]).contains(word) }
      if let found { return found }
    }
    return nil
  }

  /// Returns the name of a column, or its number when the name cannot be typed.
  private func reference(_ index: Int) -> String {
    guard index < header.count else { return String(index + 1) }
    let name = header[index]
    let isTypable =
      !name.isEmpty && name.utf8.count <= 64 && Int(name) == nil && !name.hasPrefix("=")
      && !name.contains { $0 == "," || $0.isNewline || $0 == "\t" }
      && header.count { CSVRole.folded($0) == CSVRole.folded(name) } == 1
    return isTypable ? name : String(index + 1)
  }

  /// Returns an argument as a shell reads it.
  private static func quoted(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { byte in
      0x30...0x39 ~= byte || 0x41...0x5A ~= byte || 0x61...0x7A ~= byte
        || Array("_-=,./".utf8).contains(byte)
    }
    return isPlain ? text : shellQuoted(text)
  }
}
