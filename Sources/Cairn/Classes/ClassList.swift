internal import CairnDocument
internal import CairnFormats

/// A list of classes in a format of other programs.
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

  /// - Throws: ``CairnError`` that reports what is wrong with the list, and where.
  init(_ bytes: [UInt8], _ form: Form, named name: String) throws(CairnError) {
    self.name = name
    switch form {
    case .text: readText(bytes)
    case .csv: try readTable(bytes)
    case .json: try readJSON(bytes)
    }
    if entries.isEmpty { throw wrong("names no classes") }
    guard entries.count <= ClassList.limit else {
      throw wrong("names more than \(ClassList.limit) classes")
    }
    nameApart()
  }

  /// - Parameter problem: The rest of a sentence that begins with the name of the list.
  private func wrong(_ problem: String) -> CairnError {
    CairnError(
      .invalidInput, "\(name) \(problem).",
      hint: "`cairn help class import` shows the forms of a list.")
  }

  // MARK: Text

  private mutating func readText(_ bytes: [UInt8]) {
    for line in String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline) {
      let line = String(line).trimmingSpaces()
      if line.isEmpty || line.hasPrefix("#") { continue }
      let words = line.split(separator: " ", maxSplits: 1)
      if words.count == 2, ClassList.isWordNetID(words[0]) {
        add(names: String(words[1]), id: String(words[0]))
      } else {
        add(names: line)
      }
    }
  }

  /// Adds a class by its comma-separated names: models use the first of them, or all.
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
      throw wrong("does not read: \(error)")
    }
    guard let header = rows.first?.map({ $0.trimmingSpaces().lowercased() }),
      let name = header.firstIndex(of: "name") ?? header.firstIndex(of: "class")
    else { throw wrong("has no header with “name”") }
    func column(_ names: [String]) -> Int? {
      names.lazy.compactMap { header.firstIndex(of: $0) }.first
    }
    let (id, parent) = (column(["id", "wnid", "synset"]), column(["parent"]))
    let aliases = column(["aliases", "alias", "synonyms"])
    for (number, row) in rows.enumerated().dropFirst() {
      guard row.count == header.count else {
        throw wrong(
          "has \(row.count) cells in row \(number + 1), and \(header.count) in its header")
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
      throw wrong("is not JSON: \(error)")
    }
    if let elements = json.array ?? json["classes"]?.array {
      for element in elements { try add(element) }
    } else if let breeds = json["message"]?.object {
      for (breed, kinds) in breeds.members { try add(breed, kinds) }
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
      throw wrong("holds something that is no class, since it has no “name”")
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
      throw wrong("names no class for “\(key ?? "")”")
    }
  }

  /// Adds a breed with its kinds; dog.ceo calls the Cairn terrier `terrier-cairn`.
  private mutating func add(_ breed: String, _ kinds: JSON) throws(CairnError) {
    guard let kinds = kinds.array?.compactMap(\.string) else {
      throw wrong("has no list of breeds for “\(breed)”")
    }
    entries.append(Entry(name: breed))
    for kind in kinds {
      entries.append(
        Entry(name: "\(kind) \(breed)", aliases: ["\(breed)-\(kind)"], parent: breed))
    }
  }

  // MARK: Duplicate names

  /// Appends the id to names that another id already uses: ImageNet has two cranes.
  private mutating func nameApart() {
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
