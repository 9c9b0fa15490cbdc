internal import CairnBase

/// The labels of objects whose outlines may have several parts: shapes of one class and group.
struct ImportedObjects {
  private struct Group: Hashable {
    let name: String
    let number: Double
  }

  private(set) var labels: [ImportedLabel] = []
  /// The indices of the labels of groups.
  private var groups: [Group: Int] = [:]

  /// Adds a label, as a part of its group if that has one with an outline.
  ///
  /// - Parameter group: The number of the group; nil for none.
  mutating func add(_ label: ImportedLabel, group: Double?) {
    guard let group, let outline = label.outline else { return labels.append(label) }
    let key = Group(name: label.className, number: group)
    if let index = groups[key], labels[index].outline?.unit == outline.unit {
      labels[index].outline?.polygons += outline.polygons
      labels[index].text = labels[index].text ?? label.text
    } else {
      groups[key] = labels.count
      labels.append(label)
    }
  }
}
