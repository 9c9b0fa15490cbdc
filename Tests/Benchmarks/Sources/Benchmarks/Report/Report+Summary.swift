extension Report {
  /// A short table for a README: each work at its largest size, cairn compared with its peers.
  var summary: String {
    let rows = works.flatMap { work -> [[String]] in
      let ofWork = figures.filter { $0.work == work && !$0.samples.isEmpty }
      guard let size = ofWork.map(\.documents).max() else { return [] }
      let figures = ofWork.filter { $0.documents == size }
      let cairn = figures.first { $0.contender == "cairn" }
      let others = figures.filter { $0.contender != "cairn" }
      let growth = growth(work, "cairn").map { "\(times($0.wall)), CPU \(times($0.cpu))" } ?? "–"
      let first = [work, self.size(size), cost(cairn), growth]
      if others.isEmpty { return [first + ["–", "–", "–", "–"]] }
      return others.map { other in
        let ratios = cairn.map {
          [times(other.wall / $0.wall), times(other.comparedCPU / $0.comparedCPU)]
        }
        return first + [other.contender, cost(other)] + (ratios ?? ["–", "–"])
      }
    }
    return """
      \(machine.description)

      \(Self.table(
        [
          "work", "documents", "cairn", "largest ÷ smallest", "peer", "peer's cost",
          "wall ÷ cairn's", "CPU ÷ cairn's",
        ], rows))
      \(latencies.isEmpty ? "" : latencyTable)
      \(goalTable)
      """
  }

  private func cost(_ figure: Figure?) -> String {
    guard let figure else { return "–" }
    let cpu = figure.ownCPU.map { "\(seconds($0)) own CPU" } ?? "\(seconds(figure.cpu)) CPU"
    return "\(seconds(figure.wall)), \(cpu), \(bytes(figure.peak))"
  }
}
