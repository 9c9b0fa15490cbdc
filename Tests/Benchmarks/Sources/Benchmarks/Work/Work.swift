import ArgumentParser

/// The kinds of work, in the order in which they are measured.
enum Work: String, CaseIterable, ExpressibleByArgument {
  case `import`, clone, index, label, status, read, list, find, merge, push, everything, commands
  case growth, start, images

  /// Whether the work is measured on datasets of several sizes.
  var hasSizes: Bool { self != .start && self != .images }
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
      case .status: try measureStatus()
      case .read: try measureReading()
      case .list: try measureList()
      case .find: try measureFind()
      case .merge: try measureMerge()
      case .push: try measurePush()
      case .everything:
        try measureEverything()
        try measurePhotos()
      case .commands: try measureCommands()
      case .growth: try measureGrowth()
      case .start: measureStart()
      case .images: try measureImages()
      }
    } catch {
      report.note("`\(work.rawValue)` could not be set up: \(error)", documents)
    }
  }
}
