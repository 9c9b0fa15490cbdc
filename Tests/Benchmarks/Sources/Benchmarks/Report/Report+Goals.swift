extension Report {
  /// The goals that were measured, each with cairn's figure and git's; empty if there are none.
  var goalTable: String {
    let rows = Goal.all.flatMap(rows) + diskRows + findRows + peakRows
    if rows.isEmpty { return "" }
    return Self.table(["measure", "documents", "cairn", "git", "cairn ÷ git", "goal"], rows)
  }

  private func rows(of goal: Goal) -> [[String]] {
    switch goal.limit {
    case .growth(let limit): return growthRow(of: goal, limit, \.wall)
    case .peakGrowth(let limit): return growthRow(of: goal, limit, \.peak)
    case .ratio, .seconds: break
    }
    return figures.filter {
      $0.work == goal.work && $0.contender == goal.contender && !$0.samples.isEmpty
    }.map { ours in
      let theirs = figure(goal.work, ours.documents, "git")?.wall
      let ratio = theirs.map { ours.wall / $0 }
      let text =
        switch goal.limit {
        case .ratio(let limit):
          verdict("≤ \(times(limit))×", ratio.map { $0 <= limit }, goal.documents, ours.documents)
        case .seconds(let limit):
          verdict(
            "≤ \(seconds(limit))", ours.wall <= limit, goal.documents, ours.documents)
        case .growth, .peakGrowth: "–"
        }
      return [
        goal.measure, size(ours.documents), seconds(ours.wall), theirs.map(seconds) ?? "–",
        ratio.map { times($0) + "×" } ?? "–", text,
      ]
    }
  }

  private func growthRow(
    of goal: Goal, _ limit: Double, _ value: KeyPath<Figure, Double>
  ) -> [[String]] {
    func growth(_ contender: String) -> (first: Figure, last: Figure, times: Double)? {
      let sizes = figures.filter {
        $0.work == goal.work && $0.contender == contender && !$0.samples.isEmpty
      }.sorted { $0.documents < $1.documents }
      guard let first = sizes.first, let last = sizes.last, first.documents < last.documents
      else { return nil }
      return (first, last, last[keyPath: value] / first[keyPath: value])
    }
    guard let ours = growth("cairn") else { return [] }
    return [
      [
        "\(goal.measure), growth",
        "\(size(ours.first.documents)) to \(size(ours.last.documents))",
        times(ours.times) + "×", growth("git").map { times($0.times) + "×" } ?? "–", "–",
        verdict("≤ \(times(limit))×", ours.times <= limit, nil, 0),
      ]
    ]
  }

  private var diskRows: [[String]] {
    disk.filter { $0.what == Stage.photosOnDisk && $0.contender == "cairn" }.compactMap { ours in
      guard
        let theirs = disk.first(where: {
          $0.what == ours.what && $0.documents == ours.documents && $0.contender == "git"
        })
      else { return nil }
      let ratio = ours.bytes / theirs.bytes
      return [
        "disk of \(ours.what)", size(ours.documents), bytes(ours.bytes), bytes(theirs.bytes),
        times(ratio) + "×",
        verdict("≤ \(times(Goal.diskRatio))×", ratio <= Goal.diskRatio, nil, 0),
      ]
    }
  }

  /// The slowest kind of query at each size.
  private var findRows: [[String]] {
    Set(latencies.map(\.documents)).sorted().compactMap { documents in
      guard
        let slowest = latencies.filter({ $0.documents == documents }).max(by: { $0.p99 < $1.p99 })
      else { return nil }
      return [
        "`find` in process, 99th percentile of the slowest kind (`\(slowest.question)`)",
        size(documents), seconds(slowest.p99), "–", "–",
        verdict(
          "≤ \(seconds(Goal.findSeconds))", slowest.p99 <= Goal.findSeconds, Goal.findDocuments,
          documents),
      ]
    }
  }

  /// The command of cairn with the highest memory at each size.
  private var peakRows: [[String]] {
    let ours = figures.filter { $0.contender.hasPrefix("cairn") && !$0.samples.isEmpty }
    return Set(ours.map(\.documents)).subtracting([0]).sorted().compactMap { documents in
      guard
        let highest = ours.filter({ $0.documents == documents }).max(by: { $0.peak < $1.peak })
      else { return nil }
      let git = figure(highest.work, documents, "git").map(\.peak)
      return [
        "highest peak memory (\(highest.work))", size(documents), bytes(highest.peak),
        git.map(bytes) ?? "–", git.map { times(highest.peak / $0) + "×" } ?? "–",
        verdict("≤ \(bytes(Goal.peakBytes))", highest.peak <= Goal.peakBytes, nil, 0),
      ]
    }
  }

  /// Returns the limit and whether it was met, or the size that it is meant for.
  private func verdict(
    _ limit: String, _ isMet: Bool?, _ documents: Int?, _ measured: Int
  ) -> String {
    if let documents, documents != measured { return "\(limit) at \(grouped(documents))" }
    return isMet.map { "\(limit): \($0 ? "met" : "missed")" } ?? limit
  }
}
