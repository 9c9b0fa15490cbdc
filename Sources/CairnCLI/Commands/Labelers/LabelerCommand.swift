import ArgumentParser

struct LabelerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "labeler",
    abstract: "Manage labelers: services, programs and models that predict classes.",
    discussion: HelpText.paragraphs(
      """
      Labelers belong to this device and are not part of the dataset, so photos are sent only to
      services that you added yourself. Secrets are read from the environment and never stored.

      EXAMPLES
        cairn labeler presets
        cairn labeler add azure --preset azure-image-analysis --url https://ME.cognitiveservices.azure.com
        cairn labeler add trees --onnx trees.onnx
        cairn labeler add own --program python3 labeler.py model.pt
        cairn labeler test trees photo.jpg
        cairn predict --labeler trees
      """),
    subcommands: [
      LabelerAdd.self, LabelerList.self, LabelerShow.self, LabelerTest.self, LabelerRemove.self,
      LabelerPresets.self,
    ])
}
