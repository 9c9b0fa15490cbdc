internal import CairnBase
internal import CairnDocument
internal import CairnMerge
internal import CairnMetrics

extension ReportData {
  /// The report as an HTML page that needs no other files and no scripts.
  var page: String {
    let head = Markup(
      "head", [],
      Markup("meta", [("charset", "utf-8")]),
      Markup("meta", [("name", "viewport"), ("content", "width=device-width")]),
      // A content security policy that blocks all requests, whatever the page contains.
      Markup(
        "meta",
        [
          ("http-equiv", "Content-Security-Policy"),
          (
            "content",
            "default-src 'none'; style-src 'unsafe-inline'"
              + (images.isEmpty ? "" : "; img-src data:")
          ),
        ]),
      Markup("title", [], Markup("\(name): labels and metrics")),
      Markup(style: ReportStyle.sheet))
    let body = Markup(
      "body", [], Markup("main", [], children: [top, labels, people, modelQuality]))
    return "<!DOCTYPE html>\n" + Markup("html", [("lang", "en")], head, body).html + "\n"
  }

  /// The maximum number of rows shown; more are only counted.
  private static let rowLimit = 300

  static func rest(_ count: Int, _ what: String) -> Markup {
    count > rowLimit
      ? Markup("p", [("class", "soft")], Markup("\(count - rowLimit) more \(what) are not shown."))
      : Markup([])
  }

  private var top: Markup {
    let commit = self.commit.map {
      Markup([
        "As of commit ", Markup("code", [], Markup($0)),
        " and the changes that are not committed yet.",
      ])
    }
    let numbers = [
      ("\(photos)", "photos"), ("\(classes.count)", "classes in use"), ("\(pins)", "pins"),
      ("\(peopleLabels)", "labels by people"), ("\(agreement.people.count)", "people"),
      ("\(modelLabels)", "labels by models"), ("\(models.count)", "model versions"),
    ]
    return Markup([
      Markup("h1", [], Markup.name(name)),
      Markup("p", [("class", "soft")], commit ?? "Nothing is committed yet."),
      ReportData.numbers(numbers),
    ])
  }

  static func numbers(_ numbers: [(String, String)]) -> Markup {
    Markup(
      "ul", [("class", "numbers")],
      children: numbers.map { value, what in
        Markup("li", [], Markup("b", [], Markup(value)), Markup("span", [], Markup(what)))
      })
  }

  // MARK: Labels

  private static let states: [Resolution.State] = [.confirmed, .predicted, .disputed, .rejected]

  private var labels: Markup {
    let explained: [(Resolution.State, String)] = [
      (.confirmed, "confirmed by people"), (.predicted, "predicted by models only"),
      (.disputed, "disputed among people"), (.rejected, "rejected by people"),
    ]
    let legend = explained.map { state, text in
      let swatch = Markup(
        "svg", [("width", "12"), ("height", "12"), ("aria-hidden", "true")],
        Markup.box(0, 0, 12, 12, state.rawValue))
      return Markup("li", [], swatch, Markup(text))
    }
    let greatest = classes.map(\.total).max() ?? 1
    let shown = classes.prefix(ReportData.rowLimit).enumerated().map { index, one in
      [Markup.name(one.name), one.set.map { Markup.name($0.text) } ?? "", one.bar(index, greatest)]
        + ReportData.states.map { Markup("\(one.states[$0] ?? 0)") }
    }
    return Markup(
      "section", [],
      Markup("h2", [], "Labels"),
      classes.isEmpty
        ? Markup("p", [], "No labels yet.")
        : Markup([
          Markup("ul", [("class", "legend")], children: legend),
          Markup.table(
            "Photos by class and state",
            [
              "Class", "Exclusive set", "Photos", "Confirmed", "Predicted", "Disputed", "Rejected",
            ], shown, texts: [0, 1, 2]),
          ReportData.rest(classes.count, "classes"),
        ]))
  }

  // MARK: People

  private var people: Markup {
    let rows = agreement.rows.filter { $0.photos > 0 }
    let pairs = agreement.pairs
    return Markup(
      "section", [],
      Markup("h2", [], "Agreement between people"),
      Markup(
        "p", [],
        """
        1 is perfect agreement, 0 is agreement by chance. If a person has not labeled a photo, this \
        is missing data, not “absent”. Lowest agreement first.
        """),
      rows.isEmpty
        ? Markup("p", [], "No photo was rated by two people.")
        : Markup([
          Markup.table(
            "Agreement by class",
            ["Class", "Photos", "People", "Agree", "Fleiss’ kappa", "Krippendorff’s alpha"],
            rows.prefix(ReportData.rowLimit).map(\.cells)),
          ReportData.rest(rows.count, "classes"),
          Markup.table(
            "Agreement by class and pair of people",
            ["Class", "Person", "Person", "Photos", "Agree", "Cohen’s kappa"],
            pairs.prefix(ReportData.rowLimit).map(\.cells), texts: [0, 1, 2]),
          ReportData.rest(pairs.count, "pairs"),
          boxAgreement,
        ]))
  }

  /// The agreement on boxes; nothing if there are none that two people judged.
  private var boxAgreement: Markup {
    if agreement.boxes.isEmpty { return Markup([]) }
    let rows = agreement.boxes.map { row in
      [
        Markup.name(row.name), Markup("\(row.photos)"),
        Markup("\(row.sum.first + row.sum.second)"), Markup("\(row.sum.matched)"),
        Markup(percent(row.sum.agreement)), Markup(ratio(row.sum.overlap)),
      ]
    }
    return Markup([
      Markup.table(
        "Agreement on boxes by class; each pair of people counts",
        ["Class", "Photos", "Boxes", "Matching pairs", "Agree", "Mean overlap (IoU)"],
        Array(rows.prefix(ReportData.rowLimit))),
      ReportData.rest(rows.count, "classes"),
    ])
  }

  // MARK: Models

  private var modelQuality: Markup {
    Markup(
      "section", [],
      Markup("h2", [], "Quality of models"),
      Markup(
        "p", [],
        """
        The ground truth is what people confirm or reject. Each version is measured on the photos \
        that it was run on, for the classes that it has ever labeled; a photo that it did not label \
        counts as missed. Intervals are 95% confidence intervals.
        """),
      models.isEmpty
        ? Markup("p", [], "No predictions yet.")
        : Markup(models.enumerated().map { $1.section($0, images) }))
  }
}

extension ReportData.PerClass {
  private static let width = 220.0

  /// Returns a bar of a class's photos by state.
  fileprivate func bar(_ index: Int, _ greatest: Int) -> Markup {
    var x = 0.0
    var (shapes, counts): ([Markup], [String]) = ([], [])
    for state in [Resolution.State.confirmed, .predicted, .disputed, .rejected] {
      guard let count = states[state], count > 0 else { continue }
      let width = Self.width * Double(count) / Double(greatest)
      shapes.append(Markup.box(x, 2, max(width, 0.5), 12, state.rawValue))
      counts.append("\(count) \(state.rawValue)")
      x += width
    }
    return Markup.drawing(
      "class-\(index)", width: Int(Self.width), height: 16, title: name,
      description: counts.joined(separator: ", "), shapes)
  }
}

extension AgreementMetrics.Row {
  fileprivate var cells: [Markup] {
    let (fleiss, alpha) = (tally.fleissKappa(), tally.krippendorffsAlpha())
    return [
      subject.title(name), Markup("\(photos)"), Markup("\(tally.sharingRaters.count)"),
      Markup(percent(tally.agreement)), fleiss.markup, alpha.markup,
    ]
  }
}

extension AgreementMetrics.AnnotatorPair {
  fileprivate var cells: [Markup] {
    [
      subject.title(name), Markup.name(first.identity), Markup.name(second.identity),
      Markup("\(photos)"), Markup(percent(agreement)), kappa.markup,
    ]
  }
}

extension AgreementMetrics.Subject {
  fileprivate func title(_ name: String) -> Markup {
    switch self {
    case .ofClass: Markup.name(name)
    case .ofSet: Markup(["set “", Markup.name(name), "”"])
    }
  }
}

extension Coefficient {
  fileprivate var markup: Markup {
    switch self {
    case .value(let value): Markup(decimals(value, 3))
    case .undefined(let reason):
      Markup("span", [("class", "soft")], Markup("none: \(reason.shortText)"))
    }
  }
}

extension Coefficient.Reason {
  /// The reason, short enough for a table cell.
  fileprivate var shortText: String {
    switch self {
    case .noOverlap: "no overlap"
    case .noVariation: "all ratings equal"
    }
  }
}
