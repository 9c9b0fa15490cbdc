import ArgumentParser
import Cairn

struct PhotoList: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List photos with their resolved labels.",
    discussion: HelpText.paragraphs(
      """
      “?” marks a predicted class, with its confidence, and “!” a disputed one.

      EXAMPLES
        cairn photo list --pin harbour
        cairn photo list --find 'state:predicted' --json
      """))

  @OptionGroup var selection: PhotoSelection
  @Flag(help: "Include removed ones.") var removed = false
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    let (rows, list) = (TableWriter(), JSONArrayWriter())
    func print(_ record: PhotoRecord) {
      if globals.json { list.add(record.rendered) } else { rows.add(record.cells) }
    }
    if let query = try selection.query() {
      let removed = PhotoQuery.all([query, .term(.trait(.removed))])
      for id in try dataset.find(self.removed ? .any([query, removed]) : query) {
        print(try dataset.show(id))
      }
    } else {
      try dataset.forEachPhoto(includingRemoved: removed, print)
    }
    if globals.json { return list.finish() }
    rows.finish()
    if rows.count == 0 {
      Console.print(
        selection.isGiven ? "No photos match." : "No photos yet: cairn photo add DIR.")
    }
  }
}
