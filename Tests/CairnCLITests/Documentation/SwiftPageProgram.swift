import Cairn

/// The program on the page “Use cairn from Swift”, split where it opens the dataset.
///
/// ``SwiftPageTests`` checks that the page has the same lines.
enum SwiftPageProgram {
  static func open() throws -> Dataset {
    let dataset = try Dataset(at: "/home/alice/walk")
    return dataset
  }

  /// - Parameter print: Replaces Swift's function.
  static func run(_ dataset: Dataset, print: (String) -> Void) throws {
    // Label the photos that have no label, as the person in git's configuration.
    let photos = try dataset.find(PhotoQuery("is:unlabeled"))
    _ = try dataset.label(photos, ["hillside"])
    print("Labeled \(photos.count) photos.")

    // Label them as a model. People's labels take precedence.
    if let model = Annotator(model: "tones@1") {
      let prediction = LabelAssertion(by: model, confidence: 0.8)
      _ = try dataset.label(photos, ["heather"], prediction)
    }

    // Print the resolution of each class.
    for photo in try dataset.find(PhotoQuery("label:hillside")) {
      let record = try dataset.show(photo)
      for resolution in record.resolution {
        print("\(record.name): \(resolution.name) is \(resolution.state).")
      }
    }

    // Commit, pull and push.
    do {
      let report = try dataset.sync()
      print("Committed \(report.committed.changes.count) documents.")
    } catch {
      print("\(error.message) \(error.hint ?? "")")
    }
  }
}
