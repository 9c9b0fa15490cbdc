import ArgumentParser
import Cairn

/// Which photos and classes are measured.
struct TrustOptions: ParsableArguments {
  @Option(
    name: .customLong("class"),
    help: ArgumentHelp("Only this class; may be given several times.", valueName: "class"))
  var classNames: [String] = []
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Only the photos that `cairn find` finds so.", valueName: "query"))
  var find: String?

  func scope() throws -> TrustScope {
    var scope = TrustScope()
    if let find { scope.query = try photoQuery(find) }
    scope.classNames = classNames
    return scope
  }
}

struct AgreementCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "agreement",
    abstract: "Tell how far people agree with each other, the worst first.",
    discussion: """
      Of each class: on how many photos two people or more spoke of it, of all pairs of their words
      the share that agrees, Fleiss' kappa (of the photos with as many people as most have), and
      Krippendorff's alpha (of all). Of each two people: Cohen's kappa. 1 is agreement, 0 what chance
      would bring. Of an exclusive set of classes: the class chosen.

      Who says nothing of a photo is missing there, and has not said “absent”. A box says present.
      Labels taken back and photos removed do not count; addresses that .mailmap makes one person's
      do so once.

      EXAMPLES
        cairn agreement
        cairn agreement --class oak --class elm
        cairn agreement --find 'pin:harbour' --json
      """)

  @OptionGroup var options: TrustOptions
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let scope = try options.scope()
    let agreement = try globals.dataset().agreement(scope)
    Console.print(globals, agreement.rendered) { agreement.print() }
  }
}

extension Coefficient {
  /// `0.412`, or why there is none.
  var text: String {
    switch self {
    case .value(let value): decimals(value, 3)
    case .undefined: "–"
    }
  }

  var rendered: JSON { value.map { JSON($0) } ?? .null }
}

extension Agreement.Subject {
  fileprivate var member: (String, JSON) {
    switch self {
    case .ofClass(let key): ("class", .string(key.text))
    case .ofSet(let key): ("set", .string(key.text))
    }
  }
}

extension Agreement {
  fileprivate var rendered: JSON {
    [
      "pairs": .array(pairs.map(\.rendered)),
      "people": .array(people.map { .string($0.description) }),
      "rows": .array(rows.map(\.rendered)),
    ]
  }

  fileprivate func print() {
    let shared = rows.filter { $0.photos > 0 }
    if shared.isEmpty {
      return Console.print("No photo was rated by two people: there is nothing to agree on.")
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
    let alone = rows.count - shared.count
    if alone > 0 {
      Console.print()
      Console.print(
        alone == 1
          ? "Of one more class no photo was rated by two people."
          : "Of \(alone) more classes no photo was rated by two people.")
    }
  }
}

extension Agreement.Row {
  fileprivate var rendered: JSON {
    let (fleiss, alpha) = (tally.fleissKappa(), tally.krippendorffsAlpha())
    return .object(
      JSONObject([
        subject.member, ("agreement", tally.agreement.map { JSON($0) } ?? .null),
        ("alpha", alpha.rendered), ("alphaUndefined", JSON(alpha.reason?.rawValue)),
        ("fleissKappa", fleiss.rendered),
        ("fleissPhotos", JSON(tally.fleissUnits?.count ?? 0)),
        ("fleissRatings", JSON(tally.fleissUnits?.ratings ?? 0)),
        ("fleissUndefined", JSON(fleiss.reason?.rawValue)), ("name", .string(name)),
        ("people", JSON(tally.sharingRaters.count)), ("photos", JSON(photos)),
        ("ratedPhotos", JSON(tally.units)), ("ratings", JSON(tally.ratings)),
      ]))
  }

  fileprivate var cells: [String] {
    let (fleiss, alpha) = (tally.fleissKappa(), tally.krippendorffsAlpha())
    let units = tally.fleissUnits.map { " (\($0.ratings) on \($0.count))" } ?? ""
    return [
      subject.title(name), "\(photos)", "\(tally.sharingRaters.count)", percent(tally.agreement),
      fleiss.value == nil ? fleiss.text : fleiss.text + units,
      alpha.reason.map { "– (\($0.sentence))" } ?? alpha.text,
    ]
  }
}

extension Agreement.Subject {
  fileprivate func title(_ name: String) -> String {
    switch self {
    case .ofClass: name
    case .ofSet: "which “\(name)”"
    }
  }
}

extension Agreement.PairRow {
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
