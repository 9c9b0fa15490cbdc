import ArgumentParser

/// The kinds of work, in the order in which they are measured.
enum Work: String, CaseIterable, ExpressibleByArgument {
  case `import`, clone, index, label, read, find, merge, push, growth, images

  /// Whether the work is measured on datasets of several sizes.
  var hasSizes: Bool { self != .images }
}

extension Stage {
  /// Measures one kind of work. If it cannot be set up, this is noted in the report.
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
