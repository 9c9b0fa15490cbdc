import Cairn

extension [LabelResult] {
  func print(_ globals: GlobalOptions, _ quiet: QuietOption) {
    Console.print(
      globals, quiet,
      .array(
        map {
          [
            "changed": .bool($0.changed), "label": $0.label.rendered,
            "photo": .string($0.label.photo.description),
          ]
        })
    ) {
      for result in self {
        let label = result.label
        let text = "\(label.photo.short) \(result.className) \(label.verdict.rawValue)"
        Console.print(
          result.changed ? "\(text), by \(label.annotator.identity)" : "\(text): already labeled")
      }
    }
  }
}
