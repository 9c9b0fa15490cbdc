internal import CairnDocument
internal import CairnFormats

/// A list of classes in a format that other programs use.
///
/// - Text: one class per line, `n02096177 cairn, cairn terrier` with a WordNet id and further
///   names, or a name alone.
/// - CSV: a header with `name`, and optionally `id`, `aliases` (separated by “|” or “;”) and
///   `parent`.
/// - JSON: names; objects with the members of the CSV; `{"0": ["n01440764", "tench"]}` as in
///   Keras's list of the ImageNet classes; `{"n01440764": "tench"}`;
///   `{"message": {"hound": ["afghan"]}}` as in dog.ceo's list of breeds.
struct ClassList {
  struct Entry: Equatable {
    var name: String
    /// An id that a model may use for the class, such as WordNet's.
    var id: String?
    var aliases: [String] = []
    var parent: String?
  }

  private(set) var entries: [Entry] = []
  /// The name of the list in error messages.
  private let name: String

  /// Maximum number of classes in a list.
  static let limit = 200_000

  enum Form { case text, csv, json }

  /// - Throws: ``CairnError`` that reports the problem and its position.
  init(_ bytes: [UInt8], _ form: Form, named name: String) throws(CairnError) {
    self.name = name
    switch form {
    case .text: readText(bytes)
    case .csv: try readTable(bytes)
    case .json: try readJSON(bytes)
    }
    if entries.isEmpty { throw invalid("contains no classes") }
    guard entries.count <= ClassList.limit else {
      throw invalid("contains more than \(ClassList.limit) classes")
    }
    disambiguateNames()
  }

  /// - Parameter problem: The rest of a sentence that begins with the name of the list.
  private func invalid(_ problem: String) -> CairnError {
    CairnError(
      .invalidInput, "\(name) \(problem).",
      hint: "`cairn help class import` describes the accepted lists.")
  }

  // MARK: Text

  private mutating func readText(_ bytes: [UInt8]) {
    for line in String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline) {
      let line = String(line).trimmingSpaces()
      if line.isEmpty || line.hasPrefix("#") { continue }
      let parts = line.split(separator: " ", maxSplits: 1)
      if parts.count == 2, ClassList.isWordNetID(parts[0]) {
        add(names: String(parts[1]), id: String(parts[0]))
      } else {
        add(names: line)
      }
    }
  }

  /// Adds a class with comma-separated names: a model may use the first name, or the whole text.
  private mutating func add(names: String, id: String? = nil) {
    let parts = names.split(separator: ",").map { String($0).trimmingSpaces() }
      .filter { !$0.isEmpty }
    guard let name = parts.first else { return }
    var entry = Entry(name: name, id: id, aliases: Array(parts.dropFirst()))
    if parts.count > 1 { entry.aliases.append(names.trimmingSpaces()) }
    entries.append(entry)
  }

  /// Source: WordNet, wndb(5WN): a letter for the part of speech, and eight digits.
  private static func isWordNetID(_ text: some StringProtocol) -> Bool {
    text.utf8.count == 9 && text.first == "n" && text.dropFirst().allSatisfy(\.isNumber)
  }

  // MARK: CSV

  private mutating func readTable(_ bytes: [UInt8]) throws(CairnError) {
    let rows: [[String]]
    do {
      rows = try bytes.withUnsafeBytes { try csvRows($0, named: name) }
    } catch {
      throw invalid("is invalid: \(error)")
    }
    guard let header = rows.first?.map({ $0.trimmingSpaces().lowercased() }),
      let name = header.firstIndex(of: "name") ?? header.firstIndex(of: "class")
    else { throw invalid("has no “name” column in its header") }
    func column(_ names: [String]) -> Int? {
      names.lazy.compactMap { header.firstIndex(of: $0) }.first
    }
    let (id, parent) = (column(["id", "wnid", "synset"]), column(["parent"]))
    let aliases = column(["aliases", "alias", "synonyms"])
    for (number, row) in rows.enumerated().dropFirst() {
      guard row.count == header.count else {
        throw invalid(
          "has \(row.count) cells in row \(number + 1), but \(header.count) in its header")
      }
      func cell(_ column: Int?) -> String? {
        column.flatMap { row[$0].trimmingSpaces().isEmpty ? nil : row[$0].trimmingSpaces() }
      }
      guard let name = cell(name) else { continue }
      let others = cell(aliases)?.split { $0 == "|" || $0 == ";" }.map {
        String($0).trimmingSpaces()
      }
      entries.append(
        Entry(
          name: name, id: cell(id), aliases: (others ?? []).filter { !$0.isEmpty },
          parent: cell(parent)))
    }
  }

  // MARK: JSON

  private mutating func readJSON(_ bytes: [UInt8]) throws(CairnError) {
    let json: JSON
    do throws(DocumentError) {
      json = try JSON(bytes: bytes)
    } catch {
      throw invalid("is not JSON: \(error)")
    }
    if let elements = json.array ?? json["classes"]?.array {
      for element in elements { try add(element) }
    } else if let breeds = json["message"]?.object {
      for (breed, subbreeds) in breeds.members { try add(breed, subbreeds) }
    } else {
      // Sort by number if all keys are numbers: the order of the list is the model's.
      let members = json.object?.members ?? []
      let isNumbered = members.allSatisfy { Int($0.key) != nil }
      for (key, value) in isNumbered
        ? members.sorted(by: { Int($0.key)! < Int($1.key)! }) : members
      {
        try add(key: isNumbered ? nil : key, value)
      }
    }
  }

  private mutating func add(_ element: JSON) throws(CairnError) {
    if let name = element.string { return add(names: name) }
    guard let name = element["name"]?.string ?? element["label"]?.string else {
      throw invalid("contains an element without a “name”")
    }
    entries.append(
      Entry(
        name: name, id: element["id"]?.string ?? element["wnid"]?.string,
        aliases: element["aliases"]?.array?.compactMap(\.string) ?? [],
        parent: element["parent"]?.string))
  }

  private mutating func add(key: String?, _ value: JSON) throws(CairnError) {
    if let pair = value.array?.compactMap(\.string), pair.count == 2 {
      // Keras writes “Norwich_terrier”.
      let name = pair[1].replacing("_", with: " ")
      entries.append(Entry(name: name, id: pair[0], aliases: name == pair[1] ? [] : [pair[1]]))
    } else if let names = value.string {
      add(names: names, id: key)
    } else {
      throw invalid("has no class name for “\(key ?? "")”")
    }
  }

  /// Adds a breed with its sub-breeds; dog.ceo calls the Cairn terrier `terrier-cairn`.
  private mutating func add(_ breed: String, _ subbreeds: JSON) throws(CairnError) {
    guard let subbreeds = subbreeds.array?.compactMap(\.string) else {
      throw invalid("has no list of breeds for “\(breed)”")
    }
    entries.append(Entry(name: breed))
    for subbreed in subbreeds {
      entries.append(
        Entry(name: "\(subbreed) \(breed)", aliases: ["\(breed)-\(subbreed)"], parent: breed))
    }
  }

  // MARK: Duplicate names

  /// Appends the id to names that another id already uses: ImageNet has two cranes.
  private mutating func disambiguateNames() {
    var owners: [ClassKey: String] = [:]
    for index in entries.indices {
      guard let id = entries[index].id, let key = ClassKey(naming: entries[index].name) else {
        continue
      }
      if let owner = owners[key], owner != id { entries[index].name += " (\(id))" }
      owners[key] = owners[key] ?? id
    }
  }
}
