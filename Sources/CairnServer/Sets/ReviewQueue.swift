internal import Cairn
internal import Crypto
internal import Synchronization

/// The questions of a review, as they were when it began.
struct ReviewQueue: Sendable {
  enum Items: Sendable {
    /// Questions about doubtful labels.
    case doubtful([ReviewItem])
    /// “What is it?” for photos without labels, with the classes that the number keys stand for.
    case unlabeled([PhotoID], options: [ClassKey])
  }

  let items: Items
  /// Whether there are more questions than the limit.
  let hasMore: Bool

  var count: Int {
    switch items {
    case .doubtful(let items): items.count
    case .unlabeled(let photos, _): photos.count
    }
  }
}

/// The pace of a person's review.
struct ReviewProgress: Sendable {
  private(set) var decided = 0
  /// The questions of the latest queue that were not answered or settled; nil before the first.
  private(set) var left: Int?
  private var started: ContinuousClock.Instant?
  private var last: ContinuousClock.Instant?

  /// The actions of the answers that count.
  private var counted: Set<Int> = []

  mutating func begin(_ count: Int) { left = count }

  /// - Parameter settled: The number of questions that the answer settled, with its own.
  mutating func decide(_ action: Int?, settled: Int) {
    if let action { counted.insert(action) }
    left = left.map { max(0, $0 - settled) }
    let now = ContinuousClock.now
    started = started ?? now
    last = now
    decided += 1
  }

  /// - Parameter isLeft: Whether the answer left one question fewer, perhaps in an earlier session.
  mutating func undo(_ action: Int?, isLeft: Bool) {
    let wasCounted = action.map { counted.remove($0) != nil } ?? false
    if wasCounted { decided -= 1 }
    if wasCounted || isLeft { left = left.map { $0 + 1 } }
  }

  var minutes: Double {
    guard let started, let last else { return 0 }
    return (last - started) / .seconds(60)
  }
}

/// A question as a page shows it.
struct QuestionView: Sendable {
  /// The position in the queue.
  let index: Int
  let detail: PhotoDetail
  /// Nil for “what is it?”.
  let question: ReviewQuestion?
  let options: [(key: ClassKey, name: String)]

  init(_ question: ReviewQuestion, at index: Int, in dataset: Dataset) throws {
    (self.index, self.question) = (index, question)
    detail = try dataset.detail(of: question.key.photo)
    options = try dataset.options(of: question)
  }

  /// “What is it?”
  init(_ photo: PhotoID, at index: Int, options keys: [ClassKey], in dataset: Dataset) throws {
    (self.index, question) = (index, nil)
    detail = try dataset.detail(of: photo)
    let names = try dataset.classNames()
    options = keys.map { ($0, names[$0] ?? $0.text) }
  }

  /// Changes with the labels that the question is about.
  var version: String {
    guard let question else { return detail.version }
    var hash = SHA256()
    hash.update(data: Array("\(question.photo.removed.stamp)".utf8))
    let labels = question.evidence.labels(on: question.key.classKey)
    for label in labels.sorted(by: { "\($0.name)" < "\($1.name)" }) {
      hash.update(data: label.json.canonicalBytes)
    }
    return PhotoDetail.text(hash.finalize())
  }

  /// - Parameters:
  ///   - person: The person who asks, and is not named among those who look at the photo.
  ///   - queue: The name of its own queue, if it has one.
  func json(_ server: ServerState, for person: Person, queue: String? = nil) -> JSON {
    let row = detail.row.json(color: server.colors.color(of: detail.row.id))
    let looking = server.sessions.all.filter {
      $0.hasStream && $0.person != person
        && $0.presence.withLock { $0 }?.photo == detail.row.id
    }
    let key = question?.key.classKey
    let rules = detail.explanation.rules
    let kind = question == nil ? "unlabeled" : key == nil ? "photo" : "class"
    let labels = question?.resolution?.evidence.map { $0.json(rules.reason($0)) } ?? []
    return [
      "class": JSON(key?.text),
      "confidence": question?.resolution.map { JSON($0.confidence) } ?? .null,
      "index": JSON(index), "kind": .string(kind), "labels": .array(labels),
      "looking": .array(looking.map { .string($0.person.name) }),
      "name": JSON(question?.className), "queue": JSON(queue),
      "options": .array(
        options.map { option in
          let resolution = detail.explanation.classes.first { $0.classKey == option.key }
          return [
            "class": .string(option.key.text),
            "confidence": resolution.map { JSON($0.confidence) } ?? .null,
            "name": .string(option.name), "state": JSON(resolution?.state.rawValue),
          ]
        }), "photo": row,
      "reasons": .array(
        (question?.item.reasons ?? []).map {
          ["reason": .string($0.reason.rawValue), "text": .string($0.text)]
        }), "set": JSON(key.flatMap { rules.classes.set(of: $0) }?.text),
      "state": JSON(question?.resolution?.state.rawValue), "version": .string(version),
    ]
  }
}

extension Dataset {
  /// Maximum number of classes that a question offers.
  private static let optionLimit = 12

  /// Returns the classes of an exclusive set that answer a question.
  fileprivate func options(of question: ReviewQuestion) throws -> [(key: ClassKey, name: String)] {
    let classes = question.evidence.rules.classes
    guard let key = question.key.classKey, classes.set(of: key) != nil else { return [] }
    return try ClassSuggestions(self).options(for: question, limit: Dataset.optionLimit)
      .map { (key: $0.classKey, name: $0.name) }
  }

  func classNames() throws -> [ClassKey: String] {
    let classes = try withIndex(updating: false) { try $0.classes() }
    return Dictionary(classes.map { ($0.key, $0.name.value) }, uniquingKeysWith: { $1 })
  }
}
