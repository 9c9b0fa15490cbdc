import ArgumentParser
import Cairn
import CairnBase

struct AgreementCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "agreement",
    abstract: "Measure how well people agree, worst first.",
    discussion: HelpText.paragraphs(
      """
      For each class, shows the number of photos that two or more people labeled, the share of pairs
      of labels that agree, Fleiss' kappa (over the photos with the most common number of
      annotators) and Krippendorff's alpha (over all photos). For each pair of people, shows Cohen's
      kappa. 1 is perfect agreement, 0 is chance. For an exclusive set, the chosen class is
      compared.

      For boxes, shows the share that two people drew alike: twice the number of pairs of boxes that
      overlap (IoU) by 0.5 or more, by the number of boxes of both; and the mean overlap of these
      pairs. Photos count on which both drew the class, or one drew it and the other labeled it as
      absent.

      If a person has not labeled a photo, this is missing data, not “absent”. A box counts as
      present. Withdrawn labels and removed photos do not count. A person with several email
      addresses in .mailmap counts once.

      EXAMPLES
        cairn agreement
        cairn agreement --class oak --class elm
        cairn agreement --find 'pin:harbour' --json
      """))

  @OptionGroup var options: MetricsOptions
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let scope = try options.scope()
    let agreement = try globals.dataset().agreement(scope)
    Console.print(globals, agreement.rendered) { agreement.print() }
  }
}

extension Coefficient {
  /// `0.412`, or “–” if it is undefined.
  var text: String {
    switch self {
    case .value(let value): decimals(value, 3)
    case .undefined: "–"
    }
  }

  var rendered: JSON { value.map { JSON($0) } ?? .null }
}

extension AgreementMetrics.Subject {
  fileprivate var member: (String, JSON) {
    switch self {
    case .ofClass(let key): ("class", .string(key.text))
    case .ofSet(let key): ("set", .string(key.text))
    }
  }
}

extension AgreementMetrics {
  fileprivate var rendered: JSON {
    [
      "boxes": .array(boxes.map { $0.json(person: \.description) }),
      "pairs": .array(pairs.map(\.rendered)),
      "people": .array(people.map { .string($0.description) }),
      "rows": .array(rows.map(\.rendered)),
    ]
  }

  fileprivate func print() {
    let shared = rows.filter { $0.photos > 0 }
    if shared.isEmpty {
      return Console.print("No photo was labeled by two people: there is no agreement to measure.")
    }
    let header = ["class", "photos", "people", "agree", "Fleiss' kappa", "Krippendorff's alpha"]
    let table = Console.table([header] + shared.map(\.cells))
    Console.print(Style.bold(table[0]))
    table.dropFirst().forEach { Console.print($0) }
    Console.print()
    let pairHeader = ["class", "people", "", "photos", "agree", "Cohen's kappa"]
    let pairTable = Console.table([pairHeader] + pairs.map(\.cells))
    Console.print(Style.bold(pairTable[0]))
    pairTable.dropFirst().forEach { Console.print($0) }
    printBoxes()
    let unshared = rows.count - shared.count
    if unshared > 0 {
      Console.print()
      Console.print(
        unshared == 1
          ? "1 more class has no photo that two people labeled."
          : "\(unshared) more classes have no photos that two people labeled.")
    }
  }
}

extension AgreementMetrics {
  fileprivate func printBoxes() {
    if boxes.isEmpty { return }
    Console.print()
    let header = ["boxes of", "photos", "boxes", "matching", "agree", "overlap"]
    let table = Console.table([header] + boxes.map(\.cells))
    Console.print(Style.bold(table[0]))
    table.dropFirst().forEach { Console.print($0) }
    Console.print()
    let pairHeader = ["boxes of", "people", "", "photos", "boxes", "matching", "agree", "overlap"]
    let rows = boxes.flatMap { row in row.pairs.map { $0.cells(row.name) } }
    let pairTable = Console.table([pairHeader] + rows)
    Console.print(Style.bold(pairTable[0]))
    pairTable.dropFirst().forEach { Console.print($0) }
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
  fileprivate var rendered: JSON {
    let (fleiss, alpha) = (fleissKappa, krippendorffsAlpha)
    return .object(
      JSONObject([
        subject.member, ("agreement", agreement.map { JSON($0) } ?? .null),
        ("alpha", alpha.rendered), ("alphaUndefined", JSON(alpha.reason?.rawValue)),
        ("fleissKappa", fleiss.rendered),
        ("fleissPhotos", JSON(fleissPhotos)),
        ("fleissRatings", JSON(fleissRatings)),
        ("fleissUndefined", JSON(fleiss.reason?.rawValue)), ("name", .string(name)),
        ("people", JSON(people)), ("photos", JSON(photos)),
        ("ratedPhotos", JSON(ratedPhotos)), ("ratings", JSON(ratings)),
      ]))
  }

  fileprivate var cells: [String] {
    let (fleiss, alpha) = (fleissKappa, krippendorffsAlpha)
    let units = fleissPhotos == 0 ? "" : " (\(fleissRatings) on \(fleissPhotos))"
    return [
      subject.title(name), "\(photos)", "\(people)", percent(agreement),
      fleiss.value == nil ? fleiss.text : fleiss.text + units,
      alpha.reason.map { "– (\($0.sentence))" } ?? alpha.text,
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

extension AgreementMetrics.AnnotatorPair {
  fileprivate var rendered: JSON {
    .object(
      JSONObject([
        subject.member, ("agreement", JSON(agreement)), ("kappa", kappa.rendered),
        ("kappaUndefined", JSON(kappa.reason?.rawValue)), ("name", .string(name)),
        ("people", .array([.string(first.description), .string(second.description)])),
        ("photos", JSON(photos)),
      ]))
  }

  fileprivate var cells: [String] {
    [
      subject.title(name), first.identity, second.identity, "\(photos)", percent(agreement),
      kappa.reason.map { "– (\($0.sentence))" } ?? kappa.text,
    ]
  }
}
