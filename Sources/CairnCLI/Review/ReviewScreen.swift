import Cairn
import CairnTerminal

/// A question laid out for a screen.
struct ReviewScreen {
  private let question: ReviewQuestion
  /// The classes that number keys choose.
  private let options: [ReviewOption]
  private let position: Int
  private let count: Int
  private let size: (columns: Int, rows: Int)
  /// Whether the image is on this disk.
  private let hasImage: Bool
  /// Whether it is a favorite of the person who reviews.
  private let isFavorite: Bool
  private let pin: Pin?

  /// The number of rows of a question with one or two labels.
  static let defaultRows = 12

  init(
    _ question: ReviewQuestion, options: [ReviewOption], position: Int, count: Int,
    size: (columns: Int, rows: Int), hasImage: Bool, isFavorite: Bool, pin: Pin?
  ) {
    self.options = options
    (self.question, self.position, self.count, self.size) = (question, position, count, size)
    (self.hasImage, self.isFavorite, self.pin) = (hasImage, isFavorite, pin)
  }

  static let help = [
    "  1-9  the class with this number",
    "  a y  accept                         r n  reject",
    "  c    another class (Tab completes)  s    skip on this device",
    "  u    undo the last answer           f    add to or remove from favorites",
    "  o    open the image in a viewer     q    quit: all answers are saved",
  ]

  var lines: [String] {
    let head = fitted("── \(position) of \(count) ")
    let rule = String(repeating: "─", count: max(0, min(size.columns, 80) - head.columns))
    return ["", Style.dim(head + rule)] + photoLines + [""] + questionLines + optionLines
      + labelLines
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
      let coordinate = pin.location.value
      lines.append(
        fitted(
          "pin       \(pin.name.value) (\(coordinate.latitude), \(coordinate.longitude))"))
    }
    let path = DocumentPath.image(photo.id, photo.image.format).description
    lines.append("image     " + (hasImage ? path : "not on this disk"))
    return lines.map(Self.oneLine)
  }

  // MARK: The question

  private var questionLines: [String] {
    let text: String
    if let name = question.className {
      let state = question.resolution?.state ?? .open
      let style = question.resolution?.color ?? .yellow
      let shown = "“\(Style.bold(Console.printable(name)))”"
      let asked = options.isEmpty ? "Is it \(shown)?" : "What is it: \(shown)?"
      text = "\(asked)  \(style(state.rawValue))"
    } else if question.reasons.isEmpty {
      text = Style.bold("What is it?")
    } else {
      text = Style.bold("Restore the photo?")
    }
    return [text]
      + question.reasons.flatMap { detail in
        Console.printable("\(detail.reason.rawValue): \(detail.text)")
          .wrapped(columns: size.columns - 2).map { "  " + $0 }
      }
  }

  /// The classes with their number keys: `1 oak 0.83   2 elm   3 ash`.
  private var optionLines: [String] {
    let texts = options.enumerated().map { index, option in
      let confidence = option.confidence.map { " \(($0 * 100).rounded() / 100)" } ?? ""
      return "\(index + 1) \(Console.printable(option.name))\(confidence)"
    }
    var lines: [String] = []
    for text in texts {
      if let last = lines.last, last.columns + 3 + text.columns <= size.columns {
        lines[lines.count - 1] = last + "   " + text
      } else {
        lines.append("  " + text)
      }
    }
    return lines.map { $0.fitting(columns: size.columns) }
  }

  /// The labels of people and models, as many as fit.
  private var labelLines: [String] {
    let labels = question.labels
      .filter { $0.verdict != .withdrawn && $0.classKey != .favorite }
      .sorted {
        ($1.annotator.isHuman ? 1 : 0, $0.stamp) < ($0.annotator.isHuman ? 1 : 0, $1.stamp)
      }
    let room = max(3, size.rows - 16)
    let rows = labels.prefix(labels.count > room ? room - 1 : room).map { label in
      let key = question.canonicalKey(of: label)
      let isOther = key != question.classKey
      let name = question.name(of: key)
      let verdict = label.verdict.rawValue + (isOther ? " “\(name)”" : "")
      let isPlain = label.annotator.isHuman && label.confidence == 1
      return [
        label.annotator.identity, verdict + (label.region.map { " " + $0.phrase } ?? ""),
        isPlain ? "" : label.exactConfidence.text, localTime(label.stamp),
      ]
    }
    var lines = Console.table(rows).map { fitted("  " + $0) }
    if rows.count < labels.count {
      lines.append(
        "  … and \(labels.count - rows.count) more: `cairn why \(question.photo.id.short)`")
    }
    return lines
  }

  private var otherLines: [String] {
    let others = question.resolutions.filter {
      $0.classKey != question.classKey && $0.classKey != .favorite
        && [.confirmed, .predicted, .disputed].contains($0.state)
    }
    guard !others.isEmpty, question.classKey != nil else { return [] }
    let names = others.map { "\($0.name) \($0.state.rawValue)" }.joined(separator: ", ")
    return [fitted("  also: \(names)")]
  }

  private func fitted(_ text: String) -> String {
    Console.printable(text).fitting(columns: size.columns)
  }

  private static func oneLine(_ text: String) -> String {
    String(text.map { $0.isNewline ? " " : $0 })
  }
}
