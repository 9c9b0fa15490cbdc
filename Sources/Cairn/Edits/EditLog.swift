internal import CairnDocument
internal import CairnFiles
internal import CairnReview
internal import SystemPackage

/// The actions of one person on this device, which can be undone in reverse order.
///
/// Lines of JSON in `.git/cairn/edits/<person>`, appended before an action is
/// acknowledged:
/// - `{"action": 31, "operation": 12, "time": …, "title": "Oak on 500 photos"}` begins an action;
/// - `{"action": 31, "changes": […]}` adds changes to it: a large action has several such lines, so
///   that what an interrupted one wrote can be undone. It also has `"operation": 13, "time": …` if
///   that is another one, because the one before was undone meanwhile;
/// - `{"action": 31, "left": 250, "restated": […]}` records that its last changes were undone: so
///   many, from the first one, are left;
/// - `{"action": 31, "restated": […], "undone": true}` ends it. An undo may restate labels with
///   later stamps, by which earlier actions then find them.
struct EditLog {
  let path: FilePath
  let files: FileSystem

  private(set) var actions: [EditAction] = []
  private var changes: [Int: [EditChange]] = [:]
  /// The current stamps of labels that an undo restated.
  private var stamps: [Stamp: Stamp] = [:]
  private var lastNumber = 0

  /// Maximum size in bytes; beyond it the older half is dropped when the log is opened.
  private static let sizeLimit = 128 << 20

  init(_ path: FilePath, files: FileSystem) throws {
    (self.path, self.files) = (path, files)
    guard var bytes = try files.read(path)?[...] else { return }
    if bytes.count > EditLog.sizeLimit {
      bytes = bytes.dropFirst(bytes.count / 2).drop { $0 != UInt8(ascii: "\n") }
      try files.write(Array(bytes), to: path, temporary: FilePath("\(path).new"), durable: true)
    }
    // An incomplete line, left by a crash, is skipped.
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      if let json = try? JSON(bytes: line) { add(json) }
    }
  }

  private mutating func add(_ json: JSON) {
    // What another program damaged is skipped, too.
    guard let number = json["action"]?.int, 0..<Int.max ~= number else { return }
    lastNumber = max(lastNumber, number)
    if json["undone"]?.bool == true {
      actions.removeAll { $0.number == number }
      changes[number] = nil
      restate(json)
    } else if let left = json["left"]?.int, left >= 0 {
      changes[number] = changes[number].map { Array($0.prefix(left)) }
      restate(json)
    } else if let more = json["changes"]?.array {
      changes[number, default: []] += more.compactMap { EditChange($0) }
      if let operation = json["operation"]?.int, let time = json["time"]?.int,
        let index = actions.lastIndex(where: { $0.number == number })
      {
        actions[index].operation = operation
        actions[index].operationTime = Int64(time)
      }
    } else if let title = json["title"]?.string {
      let time = Int64(json["time"]?.int ?? 0)
      actions.append(
        EditAction(
          number: number, time: time, text: title, count: 0, operation: json["operation"]?.int,
          operationTime: time))
    }
  }

  private mutating func restate(_ json: JSON) {
    for restated in json["restated"]?.array ?? [] {
      if let was = restated["was"]?.string.flatMap({ Stamp($0) }),
        let stamp = restated["stamp"]?.string.flatMap({ Stamp($0) }), was < stamp
      {
        stamps[was] = stamp
      }
    }
  }

  /// Begins an action.
  mutating func begin(_ text: String, at time: Int64, operation: Int? = nil) throws -> Int {
    let number = lastNumber + 1
    var json: JSONObject = [
      "action": JSON(number), "time": JSON(Int(time)), "title": .string(text),
    ]
    json["operation"] = operation.map { JSON($0) }
    try append(.object(json))
    return number
  }

  /// Adds changes to an action.
  ///
  /// - Parameter operation: The operation that recorded them; nil for that of the action.
  mutating func add(
    _ more: [EditChange], to action: Int, at time: Int64, operation: Int? = nil
  ) throws {
    if more.isEmpty { return }
    var json: JSONObject = ["action": JSON(action), "changes": .array(more.map(\.json))]
    if let operation, operation != actions.last(where: { $0.number == action })?.operation {
      json["operation"] = JSON(operation)
      json["time"] = JSON(Int(time))
    }
    try append(.object(json))
  }

  /// Records that an action was undone.
  ///
  /// - Parameter left: The number of changes, from the first one, that are still to be undone.
  mutating func end(_ action: Int, left: Int = 0, restated: [Restatement]) throws {
    var json: JSONObject = ["action": JSON(action)]
    json["restated"] = .array(
      restated.map { one -> JSON in
        ["stamp": .string(one.stamp.description), "was": .string(one.was.description)]
      })
    if left > 0 { json["left"] = JSON(left) } else { json["undone"] = true }
    try append(.object(json))
  }

  private mutating func append(_ json: JSON) throws {
    try files.createDirectory(above: path)
    try files.append(Array(("\n" + json.line).utf8), to: path)
    add(json)
  }

  /// Returns whether changes can be added to an action: it has begun, and was not undone.
  func isOpen(_ action: Int) -> Bool { actions.contains { $0.number == action } }

  /// The actions with changes that can be undone, oldest first.
  var undoable: [EditAction] {
    actions.compactMap { action in
      guard let count = changes[action.number]?.count, count > 0 else { return nil }
      return EditAction(
        number: action.number, time: action.time, text: action.text, count: count,
        operation: action.operation, operationTime: action.operationTime)
    }
  }

  /// Returns the changes of an action, its labels under their current stamps.
  func changes(of action: Int) -> [EditChange] { current((changes[action] ?? [])[...]) }

  /// Returns the last changes of an action, at most `limit`, or more if they are of one photo:
  /// those stay together. Also how many come before them.
  func lastChanges(of action: Int, limit: Int) -> (changes: [EditChange], before: Int) {
    let all = changes[action] ?? []
    var start = max(0, all.count - limit)
    while start > 0, let photo = all[start].photo, all[start - 1].photo == photo { start -= 1 }
    return (current(all[start...]), start)
  }

  /// Returns changes, their labels under their current stamps.
  private func current(_ changes: ArraySlice<EditChange>) -> [EditChange] {
    changes.map { change in
      guard case .label(let label) = change else { return change }
      var after = label.after
      while let stamp = stamps[after.stamp] { after.stamp = stamp }
      return .label(LabelChange(before: label.before, after: after))
    }
  }
}
