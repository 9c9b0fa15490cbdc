extension Stage {
  /// Runs the contenders in turn, so that other load on the machine affects all of them, and adds
  /// their figures to the report. If one fails, its error is reported and the others continue.
  func compare(_ work: String, pace: Pace = .usual, _ entries: [Entry]) {
    var figures = entries.map {
      Figure(work: work, documents: documents, contender: $0.contender, way: $0.way)
    }
    let pace = pace.repeated(runs)
    var run = pace.most == 1 ? 1 : 0
    while figures.contains(where: { !$0.isDone(pace) }) {
      for (index, entry) in entries.enumerated() where !figures[index].isDone(pace) {
        do {
          try entry.prepare(run)
          // Flush earlier writes, so that no contender waits for those of another.
          try output(Command("sync", at: place))
          let sample = try entry.commands(run).map(stopwatch.run).reduce(Sample(), +)
          if run > 0 { figures[index].samples.append(sample) }
        } catch {
          figures[index].failure = "\(error)"
        }
      }
      run += 1
    }
    figures.forEach(report.add)
  }
}
