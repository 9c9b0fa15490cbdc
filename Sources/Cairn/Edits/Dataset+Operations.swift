public import CairnDocument
internal import CairnMerge
internal import CairnStore
internal import CairnSync

/// What a command of this device changed, which ``Dataset/undo(_:dryRun:)`` undoes.
public struct OperationRecord: Sendable {
  /// Increases with each operation of this device.
  public let number: Int
  /// Milliseconds since 1970.
  public let time: Int64
  /// The person; nil if git did not know who it was.
  public let by: Annotator?
  /// Whether it may be the current user's: nobody else is known to have run it.
  public let isOwn: Bool
  /// The command line, or the name of what was done.
  public let text: String
  /// The branch that was checked out, such as `refs/heads/main`; empty if none was, and nil if that was not
  /// recorded.
  let branch: String?
  /// The operation that this one undid.
  public let undoes: Int?
  /// Whether it is an undo that was interrupted.
  let isUnfinished: Bool
  /// Whether it was undone, and the undo was not undone in turn.
  public internal(set) var isUndone = false
  /// Whether the undo left documents unchanged, so that it can be repeated.
  var isUndoneInPart = false

  /// Whether an undo without a number may undo it.
  var canBeNext: Bool { !isUndone && undoes == nil && isOwn }
}

extension Dataset {
  /// Makes all edits until the next call one operation, which can be undone as a whole. Without it,
  /// each method that edits is an operation of its own. Edits after it was undone are another one.
  ///
  /// - Parameter text: What is done, for people: a command line, for example.
  public func beginOperation(_ text: String) { replica.operation = RecordedOperation(text) }

  /// Makes all edits until the next call of ``beginOperation(_:)`` part of the operation that has
  /// begun. Begins one if none has, or if it was undone since.
  ///
  /// - Parameter text: What is done, for people, if an operation begins.
  public func continueOperation(_ text: String) {
    guard let operation = replica.operation else { return beginOperation(text) }
    operation.continue(as: text)
  }

  /// The number of the operation that has begun; nil as long as it has changed nothing.
  package var operationNumber: Int? { replica.operation?.number }

  /// Makes all edits of `body` one operation, or part of the one that has begun.
  func oneOperation<Value>(
    _ text: String, _ body: () throws -> Value
  ) throws(CairnError) -> Value {
    try translating { try replica.recording(text, body) }
  }

  /// Returns the operations of this device that can be undone, or were, the newest first. The last
  /// 1,000 that changed a few documents, and the last 1,000 larger ones, are kept.
  public func operations() throws(CairnError) -> [OperationRecord] {
    try translating {
      let log = replica.operationLog
      let headers = try log.numbers().reversed().compactMap { try log.header(of: $0) }
      let person = Mailmap(try mailmapText()).person
      let me = replica.knownPerson().map(person)
      // An undo is newer than what it undoes, so its own state is known first.
      var undoneBy: [Int: OperationLog.Header] = [:]
      return headers.map { header in
        let undo = undoneBy[header.number]
        if let other = header.undoes, undo == nil, !header.isUnfinished, undoneBy[other] == nil {
          undoneBy[other] = header
        }
        return OperationRecord(
          number: header.number, time: header.time, by: header.by,
          isOwn: header.by == nil || me == nil || header.by.map(person) == me, text: header.text,
          branch: header.branch, undoes: header.undoes, isUnfinished: header.isUnfinished,
          isUndone: undo != nil, isUndoneInPart: undo?.kept ?? 0 > 0)
      }
    }
  }

  /// Returns the operation with a number; nil for the current user's last one that is neither undone
  /// nor an undo.
  ///
  /// - Throws: ``CairnError/Kind/notFound`` when there is none.
  public func operation(_ number: Int? = nil) throws(CairnError) -> OperationRecord {
    let operations = try operations()
    let found = operations.first { operation in
      if let number {
        operation.number == number
      } else {
        operation.canBeNext
      }
    }
    if let found { return found }
    guard let number else {
      throw CairnError(
        .notFound, "There is nothing to undo.",
        hint: operations.isEmpty ? nil : "`cairn operations` shows what has already been undone.")
    }
    let oldest = operations.last?.number ?? 0
    throw CairnError(
      .notFound,
      1..<max(oldest, 1) ~= number
        ? "Operation \(number) is too old to be undone." : "There is no operation \(number).",
      hint: "`cairn operations` lists them.")
  }
}
