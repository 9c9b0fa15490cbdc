import ArgumentParser

/// `cairn find` and `cairn photo list`, which are the same command.
struct FindCommand<Text: CommandText>: ParsableCommand, PagedCommand {
  static var configuration: CommandConfiguration { Text.configuration }

  @OptionGroup var arguments: FindArguments

  func run() throws { try arguments.run() }
}

typealias Find = FindCommand<FindText>
typealias PhotoList = FindCommand<PhotoListText>

enum FindText: CommandText {
  static let configuration = CommandConfiguration(
    commandName: "find",
    abstract: "Find photos by class, state, annotator, confidence, date, location or text.",
    discussion: HelpText.paragraphs(
      """
      All terms must match; AND between them is optional. OR matches either side, and NOT or “-”
      excludes. NOT binds more tightly than AND, and AND more tightly than OR. Parentheses group
      terms, and quotes keep words together.

        label:dog             class, by key, name or alias
        state:disputed        confirmed, rejected, predicted, disputed or any
        conf:<0.6             confidence: <0.6, >=0.9, 0.5..0.6
        by:alice              person: email address, the part before its @, or me
        model:resnet50        model: NAME or NAME@VERSION
        run:41d8              run, by the first digits of its id
        labeled:2026-05       date labeled (UTC): day, month, year or range (2026-05..2026-07)
        taken:2024-05         date taken, by the camera's clock
        pin:harbor            pin, by name or id
        near:48.85,2.35,2km   latitude, longitude, radius
        in:2.2,48.8,2.5,48.9  west, south, east, north
        camera:canon          camera make or model
        author:adams          author; also license:cc-by, source:commons
        similar:3fa9          photos that look like this one; 3fa9,4 finds only closer ones, and
                              3fa9,model=trees the 20 most similar by that model's features
        has:region            with a box; also has:pin, has:location, has:title, …
        is:unlabeled          without labels that count; also is:labeled, is:favorite (yours),
                              is:removed
        old hem*              words in the title, caption, file name, pin name, keywords or text of
                              labels

      Text matches whole words; “*” matches the rest of a word. Case and accents are ignored.
      Terms about labels apply to the same class: “label:dog by:alice” finds photos on which
      Alice labeled dog, as present or as absent. Negated terms are matched on their own.

      EXAMPLES
        cairn find label:dog state:disputed
        cairn find 'model:resnet50 conf:<0.6 -by:me' --limit 20
        cairn find 'label:dog AND NOT (by:alice OR by:bob)'
        cairn find 'label:"Cairn terrier" (pin:harbor OR near:57.5,-3.9,10km)' --sort -taken
        cairn find has:region -0 | xargs -0 ls -l
      """))
}

enum PhotoListText: CommandText {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List all photos, or those that match a query; the same as cairn find.",
    discussion: HelpText.paragraphs(
      """
      `cairn help find` describes the query.

      EXAMPLES
        cairn photo list
        cairn photo list pin:harbor --sort -taken
        cairn photo list state:predicted --json
      """))
}
