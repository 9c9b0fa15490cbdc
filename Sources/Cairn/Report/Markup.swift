internal import CairnBase

/// A piece of HTML or SVG. Text is always escaped when it is inserted.
struct Markup: ExpressibleByStringInterpolation {
  private(set) var html = ""

  /// Creates escaped text from any source.
  init(_ text: String) { html = Markup.escaped(text) }

  init(stringLiteral text: String) { self.init(text) }

  init(_ pieces: [Markup]) { html = pieces.map(\.html).joined() }

  /// Creates an element. Names of elements and attributes are trusted; values are escaped.
  init(_ name: String, _ attributes: [(String, String)] = [], _ children: Markup...) {
    self.init(name, attributes, children: children)
  }

  init(_ name: String, _ attributes: [(String, String)] = [], children: [Markup]) {
    html = "<\(name)"
    for (key, value) in attributes { html += " \(key)=\"\(Markup.escaped(value))\"" }
    if Markup.voidElements.contains(name) {
      html += "/>"
      return
    }
    html += ">"
    for child in children { html += child.html }
    html += "</\(name)>"
    if Markup.blocks.contains(name) { html += "\n" }
  }

  /// Creates a style element from trusted CSS.
  init(style: String) { html = "<style>\n\(style)\n</style>\n" }

  private static let voidElements: Set<String> = ["img", "meta"]
  private static let blocks: Set<String> = [
    "section", "table", "tr", "h1", "h2", "h3", "p", "svg", "details", "ul", "head", "thead",
  ]

  /// Returns text with markup escaped and control characters replaced.
  private static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      default:
        let isControl = scalar.properties.generalCategory == .control
        escaped.unicodeScalars.append(isControl ? "\u{FFFD}" : scalar)
      }
    }
    return escaped
  }
}

extension Markup {
  /// Creates a user-given name, isolated so that its writing direction does not affect the text
  /// around it.
  static func name(_ text: String) -> Markup { Markup("bdi", [], Markup(text)) }

  /// Creates a table with a caption. The first cell of each row is its header.
  ///
  /// - Parameter texts: The columns that are not numbers.
  static func table(
    _ caption: String, _ header: [String], _ rows: [[Markup]], texts: Set<Int> = [0]
  ) -> Markup {
    func style(_ column: Int) -> [(String, String)] {
      texts.contains(column) ? [] : [("class", "number")]
    }
    let head = header.enumerated().map {
      Markup("th", [("scope", "col")] + style($0), Markup($1))
    }
    let body = rows.map { row in
      Markup(
        "tr", [],
        children: row.enumerated().map { column, cell in
          column == 0
            ? Markup("th", [("scope", "row")], cell) : Markup("td", style(column), cell)
        })
    }
    return Markup(
      "div", [("class", "scroll")],
      Markup(
        "table", [],
        children: [
          Markup("caption", [], Markup(caption)),
          Markup("thead", [], Markup("tr", [], children: head)),
          Markup("tbody", [], children: body),
        ]))
  }

  /// Creates a drawing with a text description.
  ///
  /// - Parameter id: Unique in the page.
  static func drawing(
    _ id: String, width: Int, height: Int, title: String, description: String, _ shapes: [Markup]
  ) -> Markup {
    Markup(
      "svg",
      [
        ("viewBox", "0 0 \(width) \(height)"), ("width", "\(width)"), ("height", "\(height)"),
        ("role", "img"), ("aria-labelledby", "\(id)-title \(id)-description"),
      ],
      children: [
        Markup("title", [("id", "\(id)-title")], Markup(title)),
        Markup("desc", [("id", "\(id)-description")], Markup(description)),
      ] + shapes)
  }

  static func box(
    _ x: Double, _ y: Double, _ width: Double, _ height: Double, _ style: String,
    opacity: Double? = nil
  ) -> Markup {
    Markup(
      "rect",
      [
        ("x", decimals(x, 1)), ("y", decimals(y, 1)), ("width", decimals(width, 1)),
        ("height", decimals(height, 1)), ("class", style),
      ] + (opacity.map { [("fill-opacity", decimals($0, 2))] } ?? []))
  }

  static func line(_ x: Double, _ y: Double, _ toX: Double, _ toY: Double, _ style: String)
    -> Markup
  {
    Markup(
      "line",
      [
        ("x1", decimals(x, 1)), ("y1", decimals(y, 1)), ("x2", decimals(toX, 1)),
        ("y2", decimals(toY, 1)), ("class", style),
      ])
  }

  /// - Parameter anchor: `start`, `middle` or `end`.
  static func label(
    _ x: Double, _ y: Double, _ text: String, anchor: String = "start", style: String = "label",
    turned: Bool = false
  ) -> Markup {
    let rotation = "rotate(-90 \(decimals(x, 1)) \(decimals(y, 1)))"
    return Markup(
      "text",
      [
        ("x", decimals(x, 1)), ("y", decimals(y, 1)), ("text-anchor", anchor), ("class", style),
      ] + (turned ? [("transform", rotation)] : []), Markup(text))
  }
}
