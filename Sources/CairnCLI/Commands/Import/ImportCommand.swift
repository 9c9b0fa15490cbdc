import ArgumentParser

struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Import labels and documents, also from other programs' formats.",
    discussion: HelpText.paragraphs(
      """
      `cairn help import FORMAT` describes the files that each format reads, and its limits.

      EXAMPLES
        cairn import coco ../annotations/instances_val2017.json --image-dir ../val2017 --dry-run
        cairn import csv ../predictions.csv --as resnet50@2026-01
        cairn import documents everything.jsonl
      """),
    subcommands: [ImportDocuments.self] + formats)

  private static let formats: [any ParsableCommand.Type] = [
    ImportAs<CSVImport>.self, ImportAs<JSONLinesImport>.self, ImportAs<ImageFolderImport>.self,
    ImportAs<COCOImport>.self, ImportAs<YOLOImport>.self, ImportAs<YOLOClassifyImport>.self,
    ImportAs<VOCImport>.self, ImportAs<LabelStudioImport>.self, ImportAs<LabelMeImport>.self,
    ImportAs<GeoJSONImport>.self,
  ]
}
