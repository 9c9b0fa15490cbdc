import Cairn
import CairnTerminal

/// A question laid out for a screen.
struct ReviewScreen {
  private let question: ReviewQuestion
  private let place: Int
  private let count: Int
  private let size: (columns: Int, rows: Int)
  /// Whether the image is on this disk.
  private let isHere: Bool
  /// Whether it is one of the person's at work.
  private let isFavorite: Bool
  private let pin: Pin?

  /// How many rows a question takes with one statement or two.
  static let usualRows = 12

  init(
    _ question: ReviewQuestion, place: Int, count: Int, size: (columns: Int, rows: Int),
    isHere: Bool, isFavorite: Bool, pin: Pin?
  ) {
    (self.question, self.place, self.count, self.size) = (question, place, count, size)
    (self.isHere, self.isFavorite, self.pin) = (isHere, isFavorite, pin)
  }

  static let help = [
    "  a y  accept                        r n  reject",
    "  c    another class (Tab completes)  s    skip, for this device",
    "  u    undo the last answer         f    add to or remove from favorites",
    "  o    open the image in a viewer   q    quit: all answers are written",
  ]

  var lines: [String] {
    let head = fitted("── \(place) of \(count) ")
    let rule = String(repeating: "─", count: max(0, min(size.columns, 80) - head.columns))
    return ["", Style.dim(head + rule)] + photoLines + [""] + askedLines + statementLines
      + otherLines
  }

  // MARK: The photo

  private var photoLines: [String] {
    let photo = question.photo
    var lines = [
      Style.bold(fitted(question.photoName))
        + "  \(photo.id.short)  \(photo.image.width)×\(photo.image.height)"
        + (isFavorite ? Style.yellow("  favorite") : "")
    ]
    if !photo.title.value.isEmpty, !photo.source.value.isEmpty {
      lines.append(fitted("file      \(photo.source.value)"))
    }
    if !photo.caption.value.isEmpty {
      lines.append(fitted("caption   \(photo.caption.value)"))
    }
    if let pin {
      let place = pin.location.value
      lines.append(
        fitted("place     \(pin.name.value) (\(place.latitude), \(place.longitude))"))
    }
    let path = DocumentPath.image(photo.id, photo.image.format).description
    lines.append("image     " + (isHere ? path : "not on this disk"))
    return lines.map(Self.oneLine)
  }

  // MARK: What is asked

  private var askedLines: [String] {
    let doubts = question.item.doubts
    let asked: String
    if let name = question.className {
      let state = question.resolution?.state ?? .open
      let style = question.resolution?.color ?? .yellow
      asked = "Is it “\(Style.bold(Console.printable(name)))”?  \(style(state.rawValue))"
    } else {
      asked = Style.bold("Bring the photo back?")
    }
    return [asked]
      + doubts.flatMap { doubt in
        Console.printable("\(doubt.reason.rawValue): \(doubt.text)")
          .wrapped(columns: size.columns - 2).map { "  " + $0 }
      }
  }

  /// What people and models say, as many as there is room for.
  private var statementLines: [String] {
    let evidence = question.evidence.labels(on: question.key.classKey)
      .filter { $0.verdict != .withdrawn && $0.classKey != .favorite }
      .sorted {
        ($1.annotator.isHuman ? 1 : 0, $0.stamp) < ($0.annotator.isHuman ? 1 : 0, $1.stamp)
      }
    let room = max(3, size.rows - 16)
    let rows = evidence.prefix(evidence.count > room ? room - 1 : room).map { label in
      let key = question.evidence.rules.classes.canonicalKey(of: label.classKey)
      let isOther = key != question.key.classKey
      let name = question.evidence.rules.classes.name(of: key)
      let said = label.verdict.rawValue + (isOther ? " “\(name)”" : "")
      let isPlain = label.annotator.isHuman && label.confidence.double == 1
      return [
        label.annotator.identity, said + (label.region == nil ? "" : " in a box"),
        isPlain ? "" : label.confidence.text, localTime(label.stamp),
      ]
    }
    var lines = Console.table(rows).map { fitted("  " + $0) }
    if rows.count < evidence.count {
      lines.append(
        "  … and \(evidence.count - rows.count) more: `cairn why \(question.photo.id.short)`")
    }
    return lines
  }

  private var otherLines: [String] {
    let others = question.evidence.resolutions.filter {
      $0.classKey != question.key.classKey && $0.classKey != .favorite
        && [.confirmed, .predicted, .disputed].contains($0.state)
    }
    guard !others.isEmpty, question.key.classKey != nil else { return [] }
    let names = others.map { "\($0.name) \($0.state.rawValue)" }.joined(separator: ", ")
    return [fitted("  besides: \(names)")]
  }

  private func fitted(_ text: String) -> String {
    Console.printable(text).fitting(columns: size.columns)
  }

  private static func oneLine(_ text: String) -> String {
    String(text.map { $0.isNewline ? " " : $0 })
  }
}
