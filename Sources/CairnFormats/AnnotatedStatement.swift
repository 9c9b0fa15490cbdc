internal import CairnDocument

/// One thing that is said of a class on a photo: of a box, or of the whole.
struct AnnotatedStatement {
  let label: AnnotatedLabel
  let region: Region?
  let confidence: Double
  let annotators: [Annotator]
  let text: String?
}

extension AnnotatedLabel {
  /// What is said, of the whole photo first.
  var statements: [AnnotatedStatement] {
    var statements: [AnnotatedStatement] = []
    func ofWhole(_ text: String?) {
      statements.append(
        AnnotatedStatement(
          label: self, region: nil, confidence: confidence, annotators: annotators, text: text))
    }
    texts.forEach(ofWhole)
    if isOfWhole, texts.isEmpty { ofWhole(nil) }
    return statements
      + boxes.map {
        AnnotatedStatement(
          label: self, region: $0.region, confidence: $0.confidence, annotators: [$0.annotator],
          text: $0.text)
      }
  }
}
