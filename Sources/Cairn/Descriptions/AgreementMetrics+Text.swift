internal import CairnBase
internal import CairnDocument
internal import CairnMerge
internal import CairnMetrics

extension AgreementMetrics: CustomStringConvertible {
  public var description: String { text.description }

  /// The figures for people, worst first.
  public var text: ReportText {
    var text = ReportText()
    let shared = rows.filter { $0.photos > 0 }
    if shared.isEmpty {
      text.line("No photo was labeled by two people: there is no agreement to measure.")
      return text
    }
    text.table(
      ["class", "photos", "people", "agree", "Fleiss' kappa", "Krippendorff's alpha"],
      shared.map(\.cells))
    text.line()
    text.table(
      ["class", "people", "", "photos", "agree", "Cohen's kappa"], pairs.map(\.cells))
    if !boxes.isEmpty { appendBoxes(to: &text) }
    let unshared = rows.count - shared.count
    if unshared > 0 {
      text.line()
      text.line(
        unshared == 1
          ? "1 more class has no photo that two people labeled."
          : "\(unshared) more classes have no photos that two people labeled.")
    }
    return text
  }

  private func appendBoxes(to text: inout ReportText) {
    text.line()
    text.table(
      ["boxes of", "photos", "boxes", "matching", "agree", "overlap"], boxes.map(\.cells))
    text.line()
    text.table(
      ["boxes of", "people", "", "photos", "boxes", "matching", "agree", "overlap"],
      boxes.flatMap { row in row.pairs.map { $0.cells(row.name) } })
  }
}

extension AgreementMetrics.BoxRow {
  fileprivate var cells: [String] {
    [
      name, "\(photos)", "\(sum.first + sum.second)", "\(sum.matched)", percent(sum.agreement),
      ratio(sum.overlap),
    ]
  }
}

extension AgreementMetrics.BoxPair {
  fileprivate func cells(_ name: String) -> [String] {
    [
      name, first.identity, second.identity, "\(boxes.photos)", "\(boxes.first)+\(boxes.second)",
      "\(boxes.matched)", percent(boxes.agreement), ratio(boxes.overlap),
    ]
  }
}

extension AgreementMetrics.Row {
  fileprivate var cells: [String] {
    let (fleiss, alpha) = (fleissKappa, krippendorffsAlpha)
    let units = " (\(counted(fleissPhotos, "photo")) with \(fleissRatings) ratings)"
    return [
      subject.title(name), "\(photos)", "\(people)", percent(agreement),
      fleiss.value == nil ? "\(fleiss)" : "\(fleiss)" + units,
      alpha.reason.map { "– (\($0.sentence))" } ?? "\(alpha)",
    ]
  }
}

extension AgreementMetrics.AnnotatorPair {
  fileprivate var cells: [String] {
    [
      subject.title(name), first.identity, second.identity, "\(photos)", percent(agreement),
      kappa.reason.map { "– (\($0.sentence))" } ?? "\(kappa)",
    ]
  }
}

extension AgreementMetrics.Subject {
  fileprivate func title(_ name: String) -> String {
    switch self {
    case .ofClass: name
    case .ofSet: "set “\(name)”"
    }
  }
}
