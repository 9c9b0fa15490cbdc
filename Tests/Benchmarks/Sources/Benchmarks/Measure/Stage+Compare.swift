extension Stage {
  /// Runs the contenders in turn, so that what else the machine does meets all of them, and keeps
  /// their figures. A contender that fails is named with what it said, and the others go on.
  func compare(_ work: String, pace: Pace = .usual, _ entries: [Entry]) {
    var figures = entries.map {
      Figure(work: work, documents: documents, contender: $0.contender, way: $0.way)
    }
    var run = pace.most == 1 ? 1 : 0
    while figures.contains(where: { !$0.isDone(pace) }) {
      for (place, entry) in entries.enumerated() where !figures[place].isDone(pace) {
        do {
          try entry.prepare(run)
          // Nobody waits for the disk to take what another wrote.
          try output(Command("sync", at: self.place))
          let sample = try entry.commands(run).map(stopwatch.run).reduce(Sample(), +)
          if run > 0 { figures[place].samples.append(sample) }
        } catch {
          figures[place].failure = "\(error)"
        }
      }
      run += 1
    }
    figures.forEach(report.add)
  }
}
