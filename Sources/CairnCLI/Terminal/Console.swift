import Cairn
import CairnBase
import CairnFiles
import CairnTerminal
import LibC
import Synchronization
import SystemPackage

/// The output of commands: results on stdout, messages on stderr.
enum Console {
  static let hasColor =
    isTerminal(1) && variable("NO_COLOR") == nil && (variable("TERM") ?? "dumb") != "dumb"

  /// Prints a line. Control characters in it are escaped, except those of ``Style``.
  static func print(_ text: String = "") { print(lines: [text]) }

  /// Prints lines, in one write.
  static func print(lines: [String]) {
    if !lines.isEmpty { output(lines.map { styled($0) + "\n" }.joined()) }
  }

  private static func styled(_ line: String) -> String {
    guard line.utf8.contains(where: { $0 == Style.mark.asciiValue }) else { return printable(line) }
    let parts = line.split(separator: Style.mark, omittingEmptySubsequences: false)
    return parts.enumerated().map { index, part in
      index % 2 == 1 && Style.codes.contains(part)
        ? "\u{1B}[\(part)m" : printable(String(part))
    }.joined()
  }

  static func print(json: JSON) { write(json: json.canonicalText) }

  /// Whether a JSON value is written in part, so that no other JSON may be printed.
  private static let isWithinJSON = Mutex(false)

  /// Writes canonical JSON.
  ///
  /// - Parameter isPartial: Whether more of the value follows.
  static func write(json text: String, isPartial: Bool = false) {
    isWithinJSON.withLock { $0 = isPartial }
    output(isTerminal(1) ? escaped(text) : text)
  }

  /// Writes text for programs, unchanged.
  static func write(_ text: String) { output(text) }

  /// Writes to stdout. An error ends the process: a script must not mistake partial output for
  /// complete output.
  private static func output(_ text: String) {
    clearProgress()
    if let pager = Pager.forOutput() { return pager.write(text) }
    do {
      try FileDescriptor.standardOutput.writeAll(text.utf8)
    } catch Errno.brokenPipe {
      // As the signal would end it, which the threads of a pool block.
      endProcess(128 + SIGPIPE)
    } catch {
      writeAll("cairn: The output cannot be written.\n", to: 2)
      endProcess(CairnError.Kind.fileSystem.exitCode)
    }
  }

  /// Prints a result: `json` with `--json`, otherwise whatever `text` prints.
  static func print(_ options: GlobalOptions, _ json: @autoclosure () -> JSON, _ text: () -> Void) {
    if options.json { print(json: json()) } else { text() }
  }

  /// Prints the result of a change: `json` with `--json`, otherwise whatever `success` prints,
  /// unless `--quiet` is given.
  static func printChange(
    _ options: GlobalOptions, _ json: @autoclosure () -> JSON, _ success: () -> Void
  ) {
    print(options, json()) { if !options.quiet { success() } }
  }

  /// Prints what a command would do: the counts with `--json`, otherwise one sentence per line.
  static func printDryRun(
    _ options: GlobalOptions, _ counts: JSONObject, _ sentences: [String]
  ) {
    var object = counts
    object["dryRun"] = true
    print(options, .object(object)) { for sentence in sentences { print(sentence) } }
  }

  static func note(_ text: String) { message("cairn: \(printable(text))\n") }

  static func hint(_ text: String) { message("hint: \(printable(text))\n") }

  /// Writes to stderr.
  static func message(_ text: String) {
    clearProgress()
    writeAll(text, to: 2)
  }

  /// Whether the last line of the terminal shows the progress of an operation.
  private static let showsProgress = Atomic(false)

  /// Shows the progress of an operation on stderr, a terminal, until anything else is written.
  static func show(progress line: String) {
    showsProgress.store(true, ordering: .relaxed)
    writeAll("\r\u{1B}[K\(line)", to: 2)
  }

  static func clearProgress() {
    if showsProgress.exchange(false, ordering: .relaxed) { writeAll("\r\u{1B}[K", to: 2) }
  }

  /// Prints an error, and ends the process with its exit code.
  static func fail(_ error: CairnError, json: Bool) -> Never {
    if json, !isWithinJSON.withLock({ $0 }) {
      print(json: ["error": error.rendered])
    }
    note(error.message)
    if let excerpt = error.excerpt {
      let before = printable(String(excerpt.line.prefix(excerpt.column)))
      writeAll(
        "  \(printable(excerpt.line))\n  \(String(repeating: " ", count: before.columns))^\n",
        to: 2)
    }
    if let hint = error.hint { self.hint(hint) }
    endProcess(error.kind.exitCode)
  }

  /// Prints a report; its tables are indented if it has a title.
  static func print(_ report: ReportText) {
    let indent = if case .title = report.parts.first { "  " } else { "" }
    for part in report.parts {
      switch part {
      case .title(let text): print(Style.bold(printable(text)))
      case .line(let text): print(printable(text))
      case .table(let header, let rows):
        let lines = table([header] + rows)
        print(indent + Style.bold(lines[0]))
        for line in lines.dropFirst() { print(indent + line) }
      }
    }
  }

  /// Returns text with control characters escaped.
  static func printable(_ text: String) -> String { text.printable }

  /// Returns equivalent JSON with non-ASCII control characters escaped. ASCII ones occur in
  /// canonical JSON only as white space between values.
  private static func escaped(_ json: String) -> String {
    if json.utf8.allSatisfy({ $0 < 0x7F }) { return json }
    return json.unicodeScalars.map { scalar in
      guard scalar.value >= 0x7F, scalar.isInterpretedByTerminals else { return String(scalar) }
      return UTF16.encode(scalar)!.map { "\\u" + Hex.text(UInt64($0), digits: 4) }.joined()
    }.joined()
  }

  /// Returns rows with their columns aligned, two spaces apart.
  static func table(_ rows: [[String]]) -> [String] {
    let rows = rows.map { row in
      row.map(printable).map { (text: $0, columns: $0.columns) }
    }
    let widths = (rows.first ?? []).indices.map { column in rows.map { $0[column].columns }.max()! }
    return rows.map { row in
      var line = ""
      for (column, cell) in row.enumerated() {
        line += cell.text
        if column < row.count - 1 {
          line += String(repeating: " ", count: widths[column] - cell.columns + 2)
        }
      }
      while line.utf8.last == UInt8(ascii: " ") { line.unicodeScalars.removeLast() }
      return line
    }
  }
}

/// Colors of a terminal.
enum Style: String, CaseIterable {
  /// Delimits a style's code until it is printed. It is a control character, which is removed or
  /// escaped in all other text.
  static let mark: Character = "\u{1}"
  static let codes = Set(allCases.map { Substring($0.rawValue) } + ["0"])

  case bold = "1"
  case dim = "2"
  case red = "31"
  case green = "32"
  case yellow = "33"
  case cyan = "36"

  func callAsFunction(_ text: String) -> String {
    Console.hasColor
      ? "\(Style.mark)\(rawValue)\(Style.mark)\(text.filter { $0 != Style.mark })"
        + "\(Style.mark)0\(Style.mark)"
      : text
  }
}
