/// What stands before the colons of a query's terms.
enum QueryKey: String, CaseIterable {
  case label, state, conf, by, model, run, said
  case pin, near, `in`
  case taken, camera, author, licence, source, similar
  case has, `is`

  /// What may stand after the colon.
  var example: String {
    switch self {
    case .label: "a class, such as label:dog"
    case .state: "“confirmed”, “rejected”, “predicted”, “disputed” or “any”"
    case .conf: "such as conf:<0.6, conf:0.9.. or conf:0.5..0.6"
    case .by: "a person, such as by:alice or by:me"
    case .model: "a model, such as model:resnet50"
    case .run: "the beginning of a run's id, such as run:41d8"
    case .said: "such as said:2026-05 or said:2026-05-03..2026-07"
    case .taken: "such as taken:2024-05, taken:2024-05-03..2024-07 or taken:2024.."
    case .pin: "a pin, such as pin:harbour"
    case .near: "latitude,longitude,radius, such as near:48.85,2.35,2km"
    case .in: "west,south,east,north in degrees, such as in:2.2,48.8,2.5,48.9"
    case .camera: "words of maker or model, such as camera:canon"
    case .author: "words of a name, such as author:adams"
    case .licence: "words of a licence, such as licence:cc-by"
    case .source: "the service that it came from, such as source:commons"
    case .similar: "a photo, and how unlike it may be: similar:3fa9 or similar:3fa9,4 (0 to 64)"
    case .has: QueryKey.list(QueryValue.parts.keys)
    case .is: QueryKey.list(QueryValue.states.keys)
    }
  }

  private static func list(_ words: some Collection<String>) -> String {
    let words = words.sorted().map { "“\($0)”" }
    return words.dropLast().joined(separator: ", ") + " or " + words.last!
  }

  /// Returns the key that `text` was probably meant to be; nil when it is like none.
  static func nearest(to text: String) -> String? {
    let keys = allCases.map { (key: $0.rawValue, distance: distance($0.rawValue, text)) }
    return keys.filter { $0.distance <= 2 && $0.distance < $0.key.count - 1 }
      .min { $0.distance < $1.distance }?.key
  }

  /// How many letters must be put in, taken out or exchanged. Source: Wagner and Fischer, 1974.
  private static func distance(_ a: String, _ b: String) -> Int {
    var row = Array(0...b.count)
    for (i, x) in a.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for (j, y) in b.enumerated() {
        (diagonal, row[j + 1]) = (
          row[j + 1], min(row[j] + 1, row[j + 1] + 1, diagonal + (x == y ? 0 : 1))
        )
      }
    }
    return row[b.count]
  }
}
