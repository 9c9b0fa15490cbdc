import ArgumentParser

struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Export documents, or labels in the formats of other programs.",
    discussion: HelpText.paragraphs(
      """
      `cairn export documents` exports all documents except the manifest, without images, for import
      into another dataset. `cairn export features` exports the numbers that describe each photo,
      for notebooks. The other formats contain the resolved labels, for training or for other
      programs; `cairn help export FORMAT` describes each of them.

      EXAMPLES
        cairn export coco ../for-training --split train=80,val=10,test=10 --split-by pin
        cairn export imagefolder ../animals --find 'label:dog OR label:cat' --images link
        cairn export documents > documents.jsonl
      """),
    subcommands: [ExportDocuments.self, ExportFeatures.self] + formats)

  private static let formats: [any ParsableCommand.Type] = [
    ExportAs<CSVExport>.self, ExportAs<JSONLinesExport>.self, ExportAs<ImageFolderExport>.self,
    ExportAs<CreateMLExport>.self, ExportAs<COCOExport>.self, ExportAs<YOLOExport>.self,
    ExportAs<YOLOSegmentExport>.self, ExportAs<YOLOClassifyExport>.self, ExportAs<VOCExport>.self,
    ExportAs<LabelMeExport>.self, ExportAs<LabelStudioExport>.self,
    ExportAs<HuggingFaceExport>.self, ExportAs<WebDatasetExport>.self, ExportAs<GeoJSONExport>.self,
    ExportAs<CroissantExport>.self, ExportAs<FiftyOneExport>.self, ExportAs<CVATExport>.self,
    ExportAs<DarwinCoreExport>.self,
  ]
}
