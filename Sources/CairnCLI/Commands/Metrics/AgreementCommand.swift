import ArgumentParser
import Cairn

struct AgreementCommand: ParsableCommand, PagedCommand {
  static let configuration = CommandConfiguration(
    commandName: "agreement",
    abstract: "Measure how well people agree, worst first.",
    discussion: HelpText.paragraphs(
      """
      For each class, shows the number of photos that two or more people labeled, the share of pairs
      of labels that agree, Fleiss' kappa (over the photos with the most common number of
      annotators) and Krippendorff's alpha (over all photos that two or more people labeled). For
      each pair of people, shows Cohen's kappa. For all three, 1 is perfect agreement and 0 is
      agreement by chance. For an exclusive set, the chosen class is compared.

      For boxes, shows the share that two people agree on: twice the number of pairs of boxes with
      an overlap (IoU) of at least 0.5, divided by the total number of boxes; and the mean overlap
      of these pairs. This covers photos on which both drew a box of the class, or one drew a box
      and the other labeled the class as absent.

      If a person has not labeled a photo, this is missing data, not “absent”. A box counts as
      present. Withdrawn labels and removed photos do not count. A person with several email
      addresses in .mailmap counts once.

      EXAMPLES
        cairn agreement
        cairn agreement --class oak --class elm
        cairn agreement --find 'pin:harbor' --json
      """))

  @OptionGroup var options: MetricsOptions
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    let agreement = try dataset.agreement(options.scope())
    Console.print(globals, agreement.json) { Console.print(agreement.text) }
  }
}
