internal import CairnDocument
internal import CairnFiles
internal import SystemPackage

/// What this device remembers of a model's predictions besides its labels: which photos failed, of which
/// it had nothing to say, and which run goes on.
///
/// It is a file of lines, to which each batch adds some; what it says of a photo last counts.
struct PredictionMemory {
  private let file: FilePath
  private let files: FileSystem
  /// Photos that failed, by how long ago: the least number failed longest ago.
  private(set) var failed: [PhotoID: Int] = [:]
  /// Photos of which nothing was said, and the least score that was asked for.
  private(set) var empty: [PhotoID: Double] = [:]
  /// Photos whose labels were being written when a process was cut short.
  private(set) var begun = Set<PhotoID>()
  /// A run that was cut short, or that some photos failed in.
  private(set) var run: (id: RunID, parameters: JSON)?
  /// The model that answers stated last, where only they say which version it is.
  private(set) var stated: Annotator?

  private var failures = 0

  private static let sizeLimit = 256 << 20

  init(_ annotator: Annotator, in directory: FilePath, files: FileSystem) throws {
    self.files = files
    file = directory.appending("predictions").appending("\(annotator.tag).jsonl")
    let bytes = try files.read(file, limit: PredictionMemory.sizeLimit) ?? []
    for line in bytes.split(separator: 0x0A) {
      // Half a line is what a crash left of it.
      if let json = try? JSON(bytes: line) { learn(json) }
    }
  }

  private mutating func learn(_ json: JSON) {
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

  private mutating func note(_ lines: [JSON]) throws {
    if lines.isEmpty { return }
    for line in lines { learn(line) }
    try files.createDirectory(file.removingLastComponent())
    // What a crash left of a line is ended first.
    try files.append([0x0A] + lines.flatMap { Array($0.line.utf8) }, to: file)
  }

  // MARK: Notes

  enum Note {
    /// Its labels are about to be written.
    case begun
    case predicted
    case empty(least: Double)
    case failed(String)
  }

  /// Notes what became of photos.
  mutating func note(_ photos: [(id: PhotoID, what: Note)]) throws {
    try note(
      photos.map { id, what -> JSON in
        var line: JSONObject = ["photo": .string(id.description)]
        switch what {
        case .begun: line["begun"] = true
        case .predicted: break
        case .empty(let least): line["empty"] = JSON(least)
        case .failed(let reason): line["failed"] = .string(reason)
        }
        return .object(line)
      })
  }

  mutating func begin(_ run: RunID, _ parameters: JSONObject) throws {
    try note([["parameters": .object(parameters), "run": .string(run.text)]])
  }

  mutating func note(stated model: Annotator) throws {
    try note([["stated": .string(model.identity)]])
  }

  /// Notes that nothing of the run is left to do.
  mutating func finish() throws {
    if run != nil { try note([["done": true]]) }
  }
}
