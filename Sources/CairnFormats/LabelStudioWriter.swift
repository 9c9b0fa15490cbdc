internal import CairnDocument

/// Tasks of Label Studio, and the labelling interface that they are shown with.
///
/// What people say is an annotation, what models say a prediction of each. Boxes are in hundredths of
/// the image from the top left corner. Source: Label Studio “Import pre-annotations”.
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
    if !photo.title.isEmpty { data["title"] = .string(photo.title) }
    if !photo.caption.isEmpty { data["caption"] = .string(photo.caption) }
    var task: JSONObject = ["id": JSON(count), "data": .object(data)]
    let said = photo.labels.filter { $0.state != .predicted }
    if !said.isEmpty {
      task["annotations"] = [["id": JSON(count), "result": results(said, photo)]]
    }
    let models = Set(photo.labels.filter { $0.state == .predicted }.compactMap(\.annotators.first))
    task["predictions"] = .array(
      models.sorted().map { model in
        let labels = photo.labels.filter {
          $0.state == .predicted && $0.annotators.first == model
        }
        return [
          "model_version": .string(model.identity), "result": results(labels, photo),
          "score": JSON(labels.map(\.confidence).max() ?? 0),
        ]
      })
    try tasks.write(.object(task))
  }

  private func results(_ labels: [AnnotatedLabel], _ photo: AnnotatedPhoto) -> JSON {
    var results: [JSON] = []
    for label in labels {
      let name = JSON.string(label.labelClass.key.text)
      if label.regions.isEmpty {
        let value: JSON = ["choices": .array([name])]
        results.append(result(label, photo, results.count, "choice", "choices", value))
      }
      for region in label.regions {
        let value: JSON = [
          "x": JSON(region.x * 100), "y": JSON(region.y * 100), "width": JSON(region.width * 100),
          "height": JSON(region.height * 100), "rotation": 0, "rectanglelabels": .array([name]),
        ]
        results.append(result(label, photo, results.count, "label", "rectanglelabels", value))
      }
    }
    return .array(results)
  }

  private func result(
    _ label: AnnotatedLabel, _ photo: AnnotatedPhoto, _ number: Int, _ from: String,
    _ type: String, _ value: JSON
  ) -> JSON {
    var result: JSONObject = [
      "id": .string("r\(number + 1)"), "from_name": .string(from), "to_name": "image",
      "type": .string(type), "value": value, "original_width": JSON(photo.image.width),
      "original_height": JSON(photo.image.height), "image_rotation": 0,
    ]
    if label.confidence < 1 { result["score"] = JSON(label.confidence) }
    return .object(result)
  }

  func finish() throws {
    try file.write("\n]\n")
    try file.close()
  }
}
