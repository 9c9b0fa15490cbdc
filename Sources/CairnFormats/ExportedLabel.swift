internal import CairnDocument

/// One exported label of a class on a photo: of a box or of the whole photo.
struct ExportedLabel {
  let label: AnnotatedLabel
  let region: Region?
  let confidence: Double
  let annotators: [Annotator]
  let text: String?
}

extension AnnotatedLabel {
  /// The labels to export, those of the whole photo first.
  var exportedLabels: [ExportedLabel] {
    var exportedLabels: [ExportedLabel] = []
    func ofWhole(_ text: String?) {
      exportedLabels.append(
        ExportedLabel(
          label: self, region: nil, confidence: confidence, annotators: annotators, text: text))
    }
    texts.forEach(ofWhole)
    if labelsWholePhoto, texts.isEmpty { ofWhole(nil) }
    return exportedLabels
      + boxes.map {
        ExportedLabel(
          label: self, region: $0.region, confidence: $0.confidence, annotators: [$0.annotator],
          text: $0.text)
      }
  }
}
