internal import CairnDocument

/// Compares two valid versions of a document, field by field.
///
/// Works on JSON member names alone, so fields of later versions are compared too.
struct FieldComparison {
  typealias Field = DocumentChange.Field
  typealias Assertion = DocumentChange.Assertion

  let old: JSON?
  let new: JSON?
  let kind: DocumentKind

  /// The differences, ordered by field name.
  var assertions: [Assertion] {
    let fields = self.fields
    guard new != nil else {
      return old == nil ? [] : [Assertion(content: .deleted, fields: fields)]
    }
    if kind == .label { return labelAssertions(fields) }
    if old != nil { return fields.map(Assertion.init) }
    let covered = FieldComparison.initialFields(of: kind)
    let isSeparate = { (field: Field) in
      !covered.contains { field.name == $0 || field.name.hasPrefix($0 + ".") }
        && field.new?.isEmptyValue == false
    }
    return [Assertion(content: .created, fields: fields.filter { !isSeparate($0) })]
      + fields.filter(isSeparate).map(Assertion.init)
  }

  /// Returns one assertion for a new or changed label, and one for each field added by a later
  /// version.
  private func labelAssertions(_ fields: [Field]) -> [Assertion] {
    let own = fields.filter {
      ["verdict", "confidence", "region", "run", "source", "stamp", "text"].contains($0.name)
    }
    let assertions = fields.filter { !own.contains($0) }.map(Assertion.init)
    if own.isEmpty && old != nil { return assertions }
    return [Assertion(content: .labeled, fields: own)] + assertions
  }

  /// Returns the fields that tell one new document of a kind from another.
  private static func initialFields(of kind: DocumentKind) -> [String] {
    switch kind {
    case .photo: ["source", "image"]
    case .pin: ["location", "name"]
    case .class: ["name"]
    case .run: ["annotator", "by", "started", "parameters"]
    case .dataset: ["format", "name"]
    case .erasure: ["bytes", "erased"]
    case .redaction: ["salt"] + Redaction.Fact.allCases.map(\.rawValue)
    case .label: []
    }
  }

  /// The fields that differ, sorted by name.
  private var fields: [Field] {
    let before = old.map { DocumentFields($0, of: kind).contents } ?? [:]
    let after = new.map { DocumentFields($0, of: kind).contents } ?? [:]
    var fields: [Field] = []
    for name in Set(before.keys).union(after.keys).sorted(by: { $0.precedesInUTF8($1) }) {
      let (old, new) = (before[name], after[name])
      if old?.value != new?.value {
        fields.append(Field(name: name, old: old?.value, new: new?.value))
      } else if old?.stamp != new?.stamp {
        fields.append(
          Field(
            name: name + ".stamp", old: JSON(old?.stamp?.description),
            new: JSON(new?.stamp?.description)))
      }
    }
    if kind == .label, fields.isEmpty, let old, let new, old["stamp"] != new["stamp"] {
      fields.append(Field(name: "stamp", old: old["stamp"], new: new["stamp"]))
    }
    return fields
  }
}

extension DocumentChange.Assertion {
  fileprivate init(_ field: DocumentChange.Field) {
    self.init(content: .field(field), fields: [field])
  }
}
