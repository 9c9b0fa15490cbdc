internal import CairnDocument

/// What a column of a table contains, apart from a photo's metadata. The raw values are the words
/// of `--map`.
enum CSVRole: String, CaseIterable {
  case image, photo, label, keywords, confidence, state, annotator, time, text
  case x, y, width, height
  case xCenter = "x_center"
  case yCenter = "y_center"
  case x1, y1, x2, y2
  /// All of x, y, width and height in one cell: `[834.0, 222.0, 56.0, 36.0]`.
  case bbox
  case imageWidth = "image_width"
  case imageHeight = "image_height"

  /// The usual names of the column, in the order in which they are looked for, in lower case and
  /// with underscores.
  var names: [String] {
    switch self {
    case .image:
      [
        "file_name", "filename", "file", "image", "path", "image_path", "image_name", "image_file",
        "file_path", "filepath", "img_path", "img_name", "img", "image_id", "imageid",
      ]
    case .photo: ["photo"]
    case .label:
      [
        "label", "class", "class_name", "category", "classname", "category_name", "label_name",
        "class_label", "species",
      ]
    case .keywords: ["keywords", "tags"]
    case .confidence: ["confidence", "score", "conf", "probability", "prob"]
    case .state: ["state", "verdict"]
    case .annotator:
      [
        "annotators", "annotator", "annotator_email", "annotator_id", "annotated_by", "labeled_by",
        "labelled_by", "labeler", "labeller", "rater", "rater_id", "rad_id", "worker_id",
        "workerid",
      ]
    case .time:
      ["updated_at", "annotated_at", "labeled_at", "labelled_at", "created_at"]
    case .text: ["text"]
    case .bbox: ["bbox", "box", "bounding_box", "boundingbox"]
    case .imageWidth: ["image_width", "img_width"]
    case .imageHeight: ["image_height", "img_height"]
    case .x, .y, .width, .height, .xCenter, .yCenter, .x1, .y1, .x2, .y2: []
    }
  }

  /// The roles of the four columns of a box, in each way that tables have it, with their usual
  /// names. All four must be there.
  static let boxes: [(roles: [CSVRole], names: [[String]])] = [
    (
      [.x1, .y1, .x2, .y2],
      [
        ["xmin", "ymin", "xmax", "ymax"], ["x_min", "y_min", "x_max", "y_max"],
        ["x1", "y1", "x2", "y2"], ["x0", "y0", "x1", "y1"], ["xtl", "ytl", "xbr", "ybr"],
        ["left", "top", "right", "bottom"], ["bbox_x1", "bbox_y1", "bbox_x2", "bbox_y2"],
        ["bbox_xmin", "bbox_ymin", "bbox_xmax", "bbox_ymax"],
      ]
    ),
    (
      [.xCenter, .yCenter, .width, .height],
      [
        ["x_center", "y_center", "width", "height"], ["x_center", "y_center", "w", "h"],
        ["xcenter", "ycenter", "width", "height"], ["cx", "cy", "w", "h"],
        ["cx", "cy", "width", "height"],
      ]
    ),
    (
      [.x, .y, .width, .height],
      [
        ["x", "y", "width", "height"], ["x", "y", "w", "h"],
        ["bbox_x", "bbox_y", "bbox_width", "bbox_height"],
        ["bbox_x", "bbox_y", "bbox_w", "bbox_h"],
        ["left", "top", "width", "height"], ["xmin", "ymin", "width", "height"],
        ["x_min", "y_min", "width", "height"], ["xmin", "ymin", "w", "h"],
        ["x_min", "y_min", "w", "h"], ["x1", "y1", "w", "h"], ["x1", "y1", "width", "height"],
        ["left", "top", "w", "h"],
      ]
    ),
  ]

  /// Returns a name as ``names`` has it: “Image Path” is `image_path`.
  static func folded(_ name: String) -> String {
    String(name.trimmingSpaces().lowercased().map { $0 == " " || $0 == "-" ? "_" : $0 })
  }
}
