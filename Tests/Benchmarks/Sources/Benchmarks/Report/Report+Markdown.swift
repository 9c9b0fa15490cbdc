extension Report {
  /// The report as Markdown.
  var markdown: String {
    var text = "# cairn and its peers\n\n\(conditions)\n"
    if !goalTable.isEmpty { text += "\n## Goals\n\n" + goalTable }
    for work in works { text += "\n## \(work)\n\n" + table(of: work) }
    if !latencies.isEmpty { text += "\n## find, in process\n\n" + latencyTable }
    if !disk.isEmpty { text += "\n## On the disk\n\n" + diskTable }
    if !flatness.isEmpty {
      text += "\n## From the smallest to the largest dataset\n\n"
      text += Self.table(["work", "contender", "wall, times", "CPU, times"], flatness)
    }
    if !notes.isEmpty { text += "\n## Notes\n\n" + notes.map { "- \($0)\n" }.joined() }
    return text
  }

  /// The machine, the versions and the conditions of the measurements.
  var conditions: String {
    let versions = versions.sorted { $0.key < $1.key }.map { "- \($0.key): \($0.value)\n" }
    return """
      \(machine.description)

      \(versions.joined())
      Whole processes, taking turns, after one warm-up run: medians (and ranges) of wall clock, user
      and system time of all processes, and peak memory of the largest. The disk is the same and the
      caches are warm for all. Every program syncs to disk what it does by default: git packs and
      refs but not loose objects, cairn each document and object before it reports success.

      """
  }

  private func table(of work: String) -> String {
    let figures = figures.filter { $0.work == work }
    let rows = figures.map { figure -> [String] in
      let name = "\(figure.contender) (`\(figure.way)`)"
      let size = size(figure.documents)
      guard figure.failure == nil else {
        return [size, name, "failed", "–", "–", "–", "–", "–", "0"]
      }
      let reference = reference(for: figure)
      func ratio(_ value: KeyPath<Figure, Double>) -> String {
        guard figure.contender != "cairn", let reference else { return "–" }
        return times(figure[keyPath: value] / reference[keyPath: value])
      }
      let walls = figure.samples.map(\.wall)
      let range = "\(seconds(walls.min() ?? .nan))–\(seconds(walls.max() ?? .nan))"
      let own = figure.ownCPU.map { " (own side \(seconds($0)))" } ?? ""
      return [
        size, name, "\(seconds(figure.wall)) (\(range))", seconds(figure.cpu) + own,
        bytes(figure.peak), ratio(\.wall), ratio(\.comparedCPU), ratio(\.peak),
        "\(figure.samples.count)",
      ]
    }
    let failures = figures.compactMap { figure in
      figure.failure.map { "- \(size(figure.documents)), \(figure.contender): \($0)\n" }
    }
    return Self.table(
      [
        "documents", "contender", "wall", "CPU", "memory", "wall ÷ cairn's", "CPU ÷ cairn's",
        "memory ÷ cairn's", "runs",
      ], rows) + (failures.isEmpty ? "" : "\nFailed:\n\n" + failures.joined())
  }

  /// The time to find the first hundred photos, over 200 queries of each kind, one after another.
  var latencyTable: String {
    Self.table(
      ["query", "documents", "median", "p99"],
      latencies.map {
        ["`\($0.question)`", size($0.documents), seconds($0.median), seconds($0.p99)]
      })
  }

  private var diskTable: String {
    Self.table(
      ["what", "documents", "contender", "bytes"],
      disk.map {
        [$0.what, size($0.documents), $0.contender, bytes($0.bytes)]
      })
  }

  /// For each work and contender, the cost at the largest size divided by that at the smallest.
  private var flatness: [[String]] {
    works.flatMap { work in
      let contenders = figures.filter { $0.work == work }.map(\.contender)
      return contenders.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        .compactMap { contender in
          growth(work, contender).map { [work, contender, times($0.wall), times($0.cpu)] }
        }
    }
  }

  /// Returns the cost at the largest size divided by that at the smallest; nil for a single size.
  func growth(_ work: String, _ contender: String) -> (wall: Double, cpu: Double)? {
    let sizes = figures.filter {
      $0.work == work && $0.contender == contender && !$0.samples.isEmpty
    }.sorted { $0.documents < $1.documents }
    guard let small = sizes.first, let large = sizes.last, small.documents < large.documents
    else { return nil }
    return (large.wall / small.wall, large.comparedCPU / small.comparedCPU)
  }

  /// Returns the number of documents with thousands separators, or a dash if there are none.
  func size(_ documents: Int) -> String { documents > 0 ? grouped(documents) : "–" }

  static func table(_ head: [String], _ rows: [[String]]) -> String {
    ([head, head.map { _ in "---" }] + rows)
      .map { "| " + $0.joined(separator: " | ") + " |\n" }.joined()
  }
}
