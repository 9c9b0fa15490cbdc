internal import CairnDocument
internal import CairnFiles
internal import SystemPackage

/// This device's log of a model's predictions: failed photos, photos without predictions, and the
/// unfinished run.
///
/// A file of JSON lines to which each batch appends; the last line about a photo wins.
struct PredictionLog {
  private let file: FilePath
  private let files: FileSystem
  /// Failed photos, each with a number: the photo with the smallest number failed least recently.
  private(set) var failed: [PhotoID: Int] = [:]
  /// Photos without predictions, with the minimum score that was requested.
  private(set) var empty: [PhotoID: Double] = [:]
  /// Photos whose labels were being written when a process was interrupted.
  private(set) var begun = Set<PhotoID>()
  /// A run that was interrupted, or in which some photos failed.
  private(set) var run: (id: RunID, parameters: JSON)?
  /// The model stated by the last answer, if only answers state the version.
  private(set) var stated: Annotator?

  private var failures = 0
  private var lineCount = 0

  private static let sizeLimit = 256 << 20
  /// The number of lines that are not needed up to which the file is not rewritten.
  private static let spareLines = 1024

  init(_ annotator: Annotator, in directory: FilePath, files: FileSystem) throws {
    try self.init(
      directory.appending("predictions").appending("\(annotator.tag).jsonl"), files)
  }

  private init(_ file: FilePath, _ files: FileSystem) throws {
    (self.file, self.files) = (file, files)
    let bytes = try files.read(file, limit: PredictionLog.sizeLimit) ?? []
    for line in bytes.split(separator: 0x0A) {
      // An incomplete line was left by a crash.
      if let json = try? JSON(bytes: line) { apply(json) }
    }
  }

  private mutating func apply(_ json: JSON) {
    lineCount += 1
    if let id = json["run"]?.string.flatMap({ RunID($0) }), let parameters = json["parameters"] {
      run = (id, parameters)
    } else if json["done"] != nil {
      run = nil
    } else if let model = json["stated"]?.string.flatMap({ Annotator(model: $0) }) {
      stated = model
    }
    guard let photo = json["photo"]?.string.flatMap({ PhotoID($0) }) else { return }
    if json["begun"] == nil { begun.remove(photo) } else { begun.insert(photo) }
    if json["failed"] != nil { failures += 1 }
    failed[photo] = json["failed"] == nil ? nil : failures
    empty[photo] = json["empty"]?.double
  }

  private mutating func append(_ lines: [JSON]) throws {
    if lines.isEmpty { return }
    for line in lines { apply(line) }
    try files.createDirectory(above: file)
    // Start with a newline, to end an incomplete line left by a crash.
    try files.append([0x0A] + lines.flatMap { Array($0.line.utf8) }, to: file)
  }

  // MARK: Entries

  enum Entry {
    /// The photo's labels are about to be written.
    case begun
    case predicted
    case empty(minimumScore: Double)
    case failed(String)
  }

  /// Records the results of photos.
  mutating func record(_ photos: [(id: PhotoID, entry: Entry)]) throws {
    try append(
      photos.map { id, entry -> JSON in
        var line: JSONObject = ["photo": .string(id.description)]
        switch entry {
        case .begun: line["begun"] = true
        case .predicted: break
        case .empty(let minimumScore): line["empty"] = JSON(minimumScore)
        case .failed(let reason): line["failed"] = .string(reason)
        }
        return .object(line)
      })
  }

  mutating func begin(_ run: RunID, _ parameters: JSONObject) throws {
    try append([["parameters": .object(parameters), "run": .string(run.text)]])
  }

  mutating func record(stated model: Annotator) throws {
    try append([["stated": .string(model.identity)]])
  }

  /// Records that the run is finished.
  mutating func finish() throws {
    if run != nil { try append([["done": true]]) }
  }

  // MARK: Compaction

  /// Rewrites the file, which grows with each prediction, if most of its lines are not needed any
  /// longer. During an edit, when runs record all photos without predictions.
  func compact() throws {
    // Other processes may have appended lines.
    let current = try PredictionLog(file, files)
    let needed = current.neededLines
    guard current.lineCount > 2 * needed.count + PredictionLog.spareLines else { return }
    try files.write(
      needed.flatMap { Array($0.line.utf8) }, to: file, temporary: FilePath("\(file).new"))
  }

  private var neededLines: [JSON] {
    var lines: [JSON] = []
    if let run { lines.append(["parameters": run.parameters, "run": .string(run.id.text)]) }
    if let stated { lines.append(["stated": .string(stated.identity)]) }
    lines += failed.sorted { $0.value < $1.value }.map {
      ["failed": "", "photo": .string($0.key.description)]
    }
    lines += begun.sorted().map { ["begun": true, "photo": .string($0.description)] }
    return lines
  }
}
