extension ImportedLabel {
  /// Attributes the label to a person, who may have several names in the file.
  ///
  /// - Parameter time: The text of the time when they gave it; nil when the file does not say.
  mutating func attribute(toPerson name: String?, _ otherName: String? = nil, at time: String?) {
    isByPerson = true
    annotator = ImportedAnnotator(name, otherName)
    self.time = importedTime(time)
  }

  /// Attributes the label to a model.
  ///
  /// - Parameters:
  ///   - name: `NAME@VERSION`; nil when the file does not name it so.
  ///   - time: The text of the time when it gave it; nil when the file does not say.
  mutating func attribute(toModel name: String?, at time: String?) {
    model = name ?? ""
    self.time = importedTime(time)
  }
}
