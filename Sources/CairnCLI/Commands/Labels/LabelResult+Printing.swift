import Cairn

extension [LabelResult] {
  func print(_ globals: GlobalOptions, _ quiet: QuietOption) {
    Console.print(globals, quiet, rendered) {
      for result in self {
        let label = result.label
        let text = "\(label.photo.short) \(result.className) \(label.verdict.rawValue)"
        Console.print(
          result.changed ? "\(text), by \(label.annotator.identity)" : "\(text): already labeled")
      }
    }
  }
}
