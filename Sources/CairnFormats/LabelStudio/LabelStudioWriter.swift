internal import CairnDocument

/// A writer of Label Studio tasks and of the labeling interface that displays them.
///
/// Labels by people become one annotation, labels by each model become predictions. Boxes are in
/// percent of the image from the top left corner. Source: Label Studio “Import pre-annotations”.
final class LabelStudioWriter: FormatWriter {
  private let output: FormatOutput
  private let file: OutputFile
  private let tasks: ArrayOutput
  private var count = 0

  init(_ output: FormatOutput, _ classes: [AnnotationClass]) throws {
    self.output = output
    file = try output.open("tasks.json")
    try file.write("[")
    tasks = ArrayOutput(file)
    func list(_ tag: String) -> String {
      classes.map { "    <\(tag) value=\"\($0.key)\"/>\n" }.joined()
    }
    let view = """
      <View>
        <Image name="image" value="$image"/>
        <Choices name="choice" toName="image" choice="multiple">
      \(list("Choice"))  </Choices>
        <RectangleLabels name="label" toName="image">
      \(list("Label"))  </RectangleLabels>
      </View>

      """
    try output.write(Array(view.utf8), to: "config.xml")
  }

  func write(_ photo: AnnotatedPhoto) throws {
    count += 1
    let path = try output.placeImage(photo, in: "images")
    var data: JSONObject = [
      "image": .string("/data/local-files/?d=\(path)"), "photo": .string(photo.id.description),
    ]
    if let split = photo.split { data["split"] = .string(split) }
    for (key, value) in photo.metadata.members { data[key] = value }
    var task: JSONObject = ["id": JSON(count), "data": .object(data)]
    let annotated = photo.labels.filter { $0.state != .predicted }.flatMap(\.exportedLabels)
    if !annotated.isEmpty {
      task["annotations"] = [["id": JSON(count), "result": results(annotated, photo)]]
    }
    let predicted = photo.labels.filter { $0.state == .predicted }.flatMap(\.exportedLabels)
    task["predictions"] = .array(predictions(predicted, photo))
    try tasks.write(.object(task))
  }

  /// Returns the predictions of each model: a prediction has one choice of classes with one score.
  private func predictions(_ labels: [ExportedLabel], _ photo: AnnotatedPhoto) -> [JSON] {
    let byModel = Dictionary(grouping: labels) { $0.annotators.first?.identity ?? "" }
    return byModel.sorted { $0.key < $1.key }.flatMap { model, labels in
      let choices = Dictionary(grouping: labels.filter { $0.region == nil }, by: \.confidence)
      var groups = choices.sorted { $0.key > $1.key }.map(\.value)
      let boxes = labels.filter { $0.region != nil }
      if groups.isEmpty { groups = [[]] }
      groups[0] += boxes
      return groups.map { group -> JSON in
        [
          "model_version": .string(model), "result": results(group, photo, areScored: true),
          "score": JSON(group.map(\.confidence).max() ?? 0),
        ]
      }
    }
  }

  /// Returns the results of labels: classes of the whole photo with equal confidence form one
  /// choice.
  private func results(
    _ labels: [ExportedLabel], _ photo: AnnotatedPhoto, areScored: Bool = false
  ) -> JSON {
    var results: [JSON] = []
    func add(_ confidence: Double, _ from: String, _ type: String, _ value: JSON) {
      var result: JSONObject = [
        "id": .string("r\(results.count + 1)"), "from_name": .string(from), "to_name": "image",
        "type": .string(type), "value": value, "original_width": JSON(photo.image.width),
        "original_height": JSON(photo.image.height), "image_rotation": 0,
      ]
      if areScored || confidence < 1 { result["score"] = JSON(confidence) }
      results.append(.object(result))
    }
    let choices = Dictionary(grouping: labels.filter { $0.region == nil }, by: \.confidence)
    for (confidence, labels) in choices.sorted(by: { $0.key > $1.key }) {
      var names: [JSON] = []
      for exported in labels {
        let name = JSON.string(exported.label.labelClass.key.text)
        if !names.contains(name) { names.append(name) }
      }
      add(confidence, "choice", "choices", ["choices": .array(names)])
    }
    for exported in labels {
      guard let region = exported.region else { continue }
      let name = JSON.string(exported.label.labelClass.key.text)
      add(
        exported.confidence, "label", "rectanglelabels",
        [
          "x": JSON(region.x * 100), "y": JSON(region.y * 100),
          "width": JSON(region.width * 100), "height": JSON(region.height * 100), "rotation": 0,
          "rectanglelabels": [name],
        ])
    }
    return .array(results)
  }

  func finish() throws {
    try file.write("\n]\n")
    try file.close()
  }
}
