import ArgumentParser

struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Import documents, or labels from the formats of other programs.",
    discussion: HelpText.paragraphs(
      """
      `cairn help import FORMAT` describes which files are read, and what is not supported.

      EXAMPLES
        cairn import coco ../boxes.json --annotator alice@example.org --dry-run
        cairn import csv ../predictions.csv --as resnet50@2026-01
        cairn import documents documents.jsonl
      """),
    subcommands: [ImportDocuments.self] + formats)

  private static let formats: [any ParsableCommand.Type] = [
    ImportAs<CSVImport>.self, ImportAs<JSONLinesImport>.self, ImportAs<ImageFolderImport>.self,
    ImportAs<COCOImport>.self, ImportAs<YOLOImport>.self, ImportAs<YOLOClassifyImport>.self,
    ImportAs<VOCImport>.self, ImportAs<LabelStudioImport>.self, ImportAs<LabelMeImport>.self,
    ImportAs<GeoJSONImport>.self, ImportAs<MegaDetectorImport>.self,
    ImportAs<CamtrapDPImport>.self, ImportAs<INaturalistImport>.self,
    ImportAs<DarwinCoreImport>.self, ImportAs<CVATImport>.self, ImportAs<DatumaroImport>.self,
    ImportAs<OpenImagesImport>.self, ImportAs<VIAImport>.self, ImportAs<SuperviselyImport>.self,
    ImportAs<KITTIImport>.self, ImportAs<CreateMLImport>.self, ImportAs<HuggingFaceImport>.self,
    ImportAs<FiftyOneImport>.self, ImportAs<WebDatasetImport>.self,
    ImportAs<CroissantImport>.self,
  ]
}
