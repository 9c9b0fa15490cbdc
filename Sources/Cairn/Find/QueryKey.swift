internal import CairnBase

/// A key of a query's terms, before the colon.
package enum QueryKey: String, CaseIterable {
  case label, state, conf, by, model, run, labeled
  case pin, near, `in`
  case taken, camera, author, license, source, similar
  case has, `is`

  /// An example of each form that a term with this key has; <doc:Find> explains their meaning.
  package var forms: [String] { meaning.forms }

  /// A description of the value after the colon, with examples.
  var example: String {
    let all = forms.dropLast().joined(separator: ", ") + (forms.count > 1 ? " or " : "")
    return "\(meaning.what), such as \(all)\(forms[forms.count - 1])"
  }

  private var meaning: (what: String, forms: [String]) {
    switch self {
    case .label: ("a class", ["label:dog", "label:\"Cairn terrier\""])
    case .state:
      (
        "“confirmed”, “rejected”, “predicted”, “disputed” or “any”",
        ["state:disputed", "state:predicted,disputed", "state:any"]
      )
    case .conf:
      (
        "a number between 0 and 1",
        [
          "conf:<0.6", "conf:<=0.5", "conf:>0.75", "conf:>=0.75", "conf:0.75", "conf:0.5..0.8",
          "conf:0.8..", "conf:..0.5",
        ]
      )
    case .by: ("a person", ["by:alice", "by:alice@example.org", "by:me"])
    case .model: ("a model", ["model:resnet50", "model:resnet50@1"])
    case .run: ("the beginning of a run's id", ["run:41d8"])
    case .labeled:
      (
        "a date in UTC",
        [
          "labeled:2026", "labeled:2026-05", "labeled:2026-05-03", "labeled:2026-05-03..2026-06",
          "labeled:2026-05-04..", "labeled:..2026-04",
        ]
      )
    case .taken:
      (
        "a date",
        [
          "taken:2024", "taken:2024-05", "taken:2024-07-31", "taken:2024-05-02..2024-07",
          "taken:2025..", "taken:..2024-05",
        ]
      )
    case .pin: ("a pin, by name or id", ["pin:harbor", "pin:c0ff"])
    case .near:
      (
        "latitude,longitude,radius",
        ["near:48.85,2.35,2km", "near:48.85,2.35,500m", "near:48.85,2.35,2000"]
      )
    case .in: ("west,south,east,north in degrees", ["in:2.2,48.8,2.5,48.9"])
    case .camera: ("words of the make or model", ["camera:canon"])
    case .author: ("words of the author's name", ["author:adams", "author:ada*"])
    case .license: ("words of the license", ["license:cc-by"])
    case .source: ("the name of a source", ["source:commons"])
    case .similar:
      (
        "a photo, optionally with a maximum distance (0 to 64) or a trained model",
        [
          "similar:3fa9", "similar:3fa9,4", "similar:../mill.png", "similar:3fa9,model=trees",
          "similar:3fa9,model=trees,50",
        ]
      )
    case .has: ("a property", QueryValue.properties.keys.sorted().map { "has:\($0)" })
    case .is: ("a property", QueryValue.states.keys.sorted().map { "is:\($0)" })
    }
  }

  /// Creates the key with the given name, which may be in British spelling, or the earlier name
  /// `said`.
  init?(spelled text: String) {
    let others = ["labelled": "labeled", "licence": "license", "said": "labeled"]
    self.init(rawValue: others[text] ?? text)
  }

  /// Returns the key most similar to `text`; nil if none is similar.
  static func nearest(to text: String) -> String? {
    let keys = allCases.map { (key: $0.rawValue, distance: editDistance($0.rawValue, text)) }
    return keys.filter { $0.distance <= 2 && $0.distance < $0.key.count - 1 }
      .min { $0.distance < $1.distance }?.key
  }
}
