import ArgumentParser

/// The pieces of work, in the order in which they are measured.
enum Work: String, CaseIterable, ExpressibleByArgument {
  case `import`, clone, index, label, read, find, merge, push, growth, images

  /// True for what has datasets of documents of several sizes.
  var hasSizes: Bool { self != .images }
}

extension Stage {
  /// Measures a piece of work. What cannot be set up is noted, and the rest goes on.
  func measure(_ work: Work) {
    do {
      switch work {
      case .import: try measureImport()
      case .clone: try measureClone()
      case .index: try measureIndex()
      case .label: try measureLabel()
      case .read: try measureReading()
      case .find: try measureFind()
      case .merge: try measureMerge()
      case .push: try measurePush()
      case .growth: try measureGrowth()
      case .images: try measureImages()
      }
    } catch {
      report.note("`\(work.rawValue)` could not be set up: \(error)", documents)
    }
  }
}
