import Foundation

/// A plot of wall clock against the number of documents, both logarithmic. Each work that was
/// measured at several sizes has a panel; all panels have the same scale.
struct Plot {
  private let panels: [(work: String, lines: [(contender: String, points: [Point])])]
  private let sizes: ClosedRange<Double>
  private let costs: ClosedRange<Double>

  private typealias Point = (documents: Double, seconds: Double)

  private static let columns = 3
  private static let panel = (width: 300.0, height: 220.0)
  private static let inner = (left: 48.0, right: 14.0, top: 26.0, bottom: 30.0)
  private static let colors = ["#0b7a75", "#d1495b", "#edae49", "#66578f", "#4f6d7a"]

  init(figures: [Figure]) {
    let measured = figures.filter { $0.documents > 0 && $0.wall > 0 }
    let works = measured.reduce(into: [String]()) {
      if !$0.contains($1.work) { $0.append($1.work) }
    }
    panels = works.compactMap { work in
      let figures = measured.filter { $0.work == work }
      guard Set(figures.map(\.documents)).count > 1 else { return nil }
      let contenders = figures.reduce(into: [String]()) {
        if !$0.contains($1.contender) { $0.append($1.contender) }
      }
      return (
        work,
        contenders.map { contender in
          let points = figures.filter { $0.contender == contender }
            .map { (Double($0.documents), $0.wall) }.sorted { $0.0 < $1.0 }
          return (contender, points)
        }
      )
    }
    let points = panels.flatMap { $0.lines.flatMap(\.points) }
    func decades(_ values: [Double]) -> ClosedRange<Double> {
      let logarithms = values.map(log10)
      let low = (logarithms.min() ?? 0).rounded(.down)
      return low...max(low + 1, (logarithms.max() ?? 1).rounded(.up))
    }
    sizes = decades(points.map(\.documents))
    costs = decades(points.map(\.seconds))
  }

  var svg: String {
    let rows = max(1, (panels.count + Plot.columns - 1) / Plot.columns)
    let (width, height) = (
      Plot.panel.width * Double(Plot.columns), Plot.panel.height * Double(rows)
    )
    let drawn = panels.enumerated().map { index, panel in
      let x = Double(index % Plot.columns) * Plot.panel.width
      let y = Double(index / Plot.columns) * Plot.panel.height
      return "<g transform=\"translate(\(x),\(y))\">\n\(axes)\(title(panel.work))"
        + panel.lines.enumerated().map { line($0, $1.contender, $1.points) }.joined() + "</g>\n"
    }
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" \
      font-family="sans-serif" font-size="10">
      <rect width="100%" height="100%" fill="white"/>
      \(drawn.joined())</svg>

      """
  }

  private func x(_ documents: Double) -> Double {
    let share = (documents - sizes.lowerBound) / (sizes.upperBound - sizes.lowerBound)
    return Plot.inner.left + share * (Plot.panel.width - Plot.inner.left - Plot.inner.right)
  }

  private func y(_ seconds: Double) -> Double {
    let share = (seconds - costs.lowerBound) / (costs.upperBound - costs.lowerBound)
    return Plot.panel.height - Plot.inner.bottom
      - share * (Plot.panel.height - Plot.inner.top - Plot.inner.bottom)
  }

  private func title(_ text: String) -> String {
    "<text x=\"\(Plot.inner.left)\" y=\"16\" font-size=\"12\" font-weight=\"bold\">\(text)</text>\n"
  }

  /// A grid line for each power of ten, with its label.
  private var axes: String {
    let (left, right) = (x(sizes.lowerBound), x(sizes.upperBound))
    let (low, high) = (y(costs.lowerBound), y(costs.upperBound))
    var text = ""
    for decade in stride(from: sizes.lowerBound, through: sizes.upperBound, by: 1) {
      let name = grouped(Int(pow(10, decade)))
      text += "<path d=\"M\(x(decade)),\(low)V\(high)\" stroke=\"#ddd\"/>\n"
      text += "<text x=\"\(x(decade))\" y=\"\(low + 14)\" text-anchor=\"middle\">\(name)</text>\n"
    }
    for decade in stride(from: costs.lowerBound, through: costs.upperBound, by: 1) {
      let name =
        decade < 0 ? "\(Int(pow(10, decade + 3).rounded())) ms" : "\(Int(pow(10, decade))) s"
      text += "<path d=\"M\(left),\(y(decade))H\(right)\" stroke=\"#ddd\"/>\n"
      text += "<text x=\"\(left - 4)\" y=\"\(y(decade) + 3)\" text-anchor=\"end\">\(name)</text>\n"
    }
    return text
  }

  private func line(_ index: Int, _ contender: String, _ points: [Point]) -> String {
    let color = Plot.colors[index % Plot.colors.count]
    let positions = points.map { (x(log10($0.documents)), y(log10($0.seconds))) }
    let path = positions.map { "\($0.0),\($0.1)" }.joined(separator: " ")
    let dots = positions.map {
      "<circle cx=\"\($0.0)\" cy=\"\($0.1)\" r=\"2.5\" fill=\"\(color)\"/>"
    }
    return """
      <polyline points="\(path)" fill="none" stroke="\(color)" stroke-width="1.5"/>\(dots.joined())
      <text x="\(Plot.inner.left + 6)" y="\(Plot.inner.top + 10 + 12 * Double(index))" \
      fill="\(color)">\(contender)</text>

      """
  }
}
