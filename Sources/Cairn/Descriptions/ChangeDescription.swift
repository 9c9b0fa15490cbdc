internal import CairnBase
internal import CairnDocument
public import CairnMerge

extension DocumentChange {
  /// The document's display name: `photo 3fa912345678`, `class oak`.
  public var subject: String { ChangeDescription(self).subject }

  /// The differences, each as a sentence without its period, about ``subject``.
  public var texts: [String] { assertions.map { text(of: $0) } }

  /// Returns one of the differences as a sentence without its period, about ``subject``.
  package func text(of assertion: Assertion) -> String {
    ChangeDescription(self).text(of: assertion)
  }
}

/// Describes the differences between two versions of a document in text.
///
/// Works on JSON member names alone, so fields of later versions are described too, in a generic
/// form.
struct ChangeDescription {
  typealias Field = DocumentChange.Field

  let change: DocumentChange
  let kind: DocumentKind

  var old: JSON? { change.old }
  var new: JSON? { change.new }

  init(_ change: DocumentChange) {
    self.change = change
    kind = change.path.kind ?? .dataset
  }

  var subject: String {
    let known = new ?? old
    switch change.path {
    case .photo(let id), .label(let id, _), .erasure(let id), .redaction(.photo(let id)):
      return "photo \(id.short)"
    case .redaction(.person(let id)): return "person \(DocumentChange.short(id.text))"
    case .class(let key): return "class \(className(key.text))"
    case .pin(let id):
      let name = known?["name"]?["value"]?.string ?? ""
      return "pin \(name.isEmpty ? DocumentChange.short(id.text) : name.quoted)"
    case .run(let id):
      let model = known?["annotator"]?.string.flatMap { Annotator($0) }
      return "run \(DocumentChange.short(id.text))" + (model.map { " of \($0.identity)" } ?? "")
    case .manifest: return "dataset"
    case .image(let id, _): return "image \(id.short)"
    case .model(let id): return "model \(id.short)"
    }
  }

  func text(of assertion: DocumentChange.Assertion) -> String {
    switch assertion.content {
    case .created: return beginning
    case .deleted: return kind == .label ? deletedLabel : "document deleted"
    case .labeled: return labeled(assertion.fields)
    case .field(let field): return kind == .label ? ofLabel(field) : sentence(field)
    case .invalid(let error): return "invalid: \(error)"
    case .validAgain(let error): return "valid again; it was invalid: \(error)"
    case .deletedInvalid: return "deleted; it was invalid"
    case .reformatted: return "same content, different formatting"
    }
  }

  // MARK: Documents of registers

  /// The text that describes a new document.
  private var beginning: String {
    func value(_ key: String) -> JSON? { new?[key]?["value"] }
    let name = value("name")?.string.flatMap { $0.isEmpty ? nil : $0.quoted }
    switch kind {
    case .photo:
      let source = value("source")?.string ?? ""
      return source.isEmpty ? "added" : "added, from \(source)"
    case .pin: return "added at \(coordinate(value("location")))"
    case .class:
      let isSubject = value("name")?.string.map { subject == "class \($0)" } ?? true
      return "created" + (isSubject ? "" : name.map { " as \($0)" } ?? "")
    case .run:
      let by = new?["by"]?.string.flatMap { Annotator($0) }?.identity ?? "somebody"
      let time = new?["started"]?.string.flatMap { Stamp($0) }.map { " at \($0.time)" } ?? ""
      return "started by \(by)\(time)"
    case .dataset: return "created" + (name.map { " as \($0)" } ?? "")
    case .erasure:
      let by = value("erased")?["by"]?.string.flatMap { Annotator($0) }?.identity ?? "somebody"
      let reason = value("erased")?["reason"]?.string ?? ""
      return "image erased by \(by)" + (reason.isEmpty ? "" : ": \(reason.quoted)")
    case .redaction:
      let facts = Redaction.Fact.allCases.filter { value($0.rawValue) != nil }
      return facts.map { fact in
        let by = value(fact.rawValue)?["by"]?.string.flatMap { Annotator($0) }?.identity
        let reason = value(fact.rawValue)?["reason"]?.string ?? ""
        return "\(fact.rawValue) erased from the history by \(by ?? "somebody")"
          + (reason.isEmpty ? "" : ": \(reason.quoted)")
      }.joined(separator: "; ")
    case .label: return ""
    }
  }

  private func sentence(_ field: Field) -> String {
    let (name, old, new) = (field.name, field.old, field.new)
    if old == nil, new?.isEmptyValue == true { return generic(field) }
    switch (kind, name) {
    case (.run, "withdrawn"): return new?.bool == true ? "withdrawn" : "restored"
    case (.run, "withdrawn.stamp"):
      return self.new?["withdrawn"]?["value"]?.bool == true ? "withdrawn, again" : "restored, again"
    case (_, "removed"): return new?.bool == true ? "removed" : "restored"
    case (_, "removed.stamp"):
      return self.new?["removed"]?["value"]?.bool == true ? "removed, again" : "restored, again"
    case (.pin, "location"):
      return old == nil
        ? "located at \(coordinate(new))"
        : "moved from \(coordinate(old)) to \(coordinate(new))"
    case (.pin, "name"), (.class, "name"), (.dataset, "name"):
      guard let after = text(new) else { return "name \(text(old) ?? "") removed" }
      return text(old).map { "renamed \($0) → \(after)" } ?? "named \(after)"
    case (.class, "aliasOf"):
      guard let key = new?.string else { return "is no longer an alias" }
      return "is an alias of \(className(key))"
        + (old?.string.map { ", previously of \(className($0))" } ?? "")
    case (.class, "parent"):
      guard let key = new?.string else { return "is no longer a kind of \(className(old?.string))" }
      return "is a kind of \(className(key))"
        + (old?.string.map { ", previously of \(className($0))" } ?? "")
    case (.class, "set"):
      guard let set = new?.string else { return "is in no exclusive set anymore" }
      return "is in the exclusive set \(set)"
        + (old?.string.map { ", previously in \($0)" } ?? "")
    case (.photo, "pin"): return transition(name, old.flatMap(pinName), new.flatMap(pinName))
    case (.photo, "caption"), (.photo, "source"), (.photo, "title"):
      return transition(name, text(old), text(new))
    default: return generic(field)
    }
  }

  /// Describes any field by its name and values.
  func generic(_ field: Field) -> String {
    if field.name.hasSuffix(".stamp"), let stamp = field.new?.string, Stamp(stamp) != nil {
      let name = String(field.name.dropLast(".stamp".count))
      let value = new.flatMap { DocumentFields($0, of: kind).contents[name]?.value }
      return "\(name): \((value ?? .null).displayText), again"
    }
    if case (.object(let old)?, .object(let new)?) = (field.old, field.new) {
      let keys = Set((old.members + new.members).map(\.key)).filter { old[$0] != new[$0] }
      let parts = keys.sorted { $0.precedesInUTF8($1) }.map { key in
        generic(Field(name: key, old: old[key], new: new[key]))
      }
      return "\(field.name): \(parts.joined(separator: ", "))"
    }
    guard let new = field.new else {
      return "\(field.name): \(field.old?.displayText ?? "none") removed"
    }
    return field.old.map { "\(field.name): \($0.displayText) → \(new.displayText)" }
      ?? "\(field.name): \(new.displayText)"
  }

  private func transition(_ name: String, _ old: String?, _ new: String?) -> String {
    switch (old, new) {
    case (let old?, let new?): "\(name) \(old) → \(new)"
    case (let old?, nil): "\(name) \(old) removed"
    case (nil, let new?): "\(name) \(new)"
    case (nil, nil): "\(name) none"
    }
  }

  private func text(_ value: JSON?) -> String? {
    guard let text = value?.string, !text.isEmpty else { return nil }
    return text.quoted
  }

  private func pinName(_ value: JSON) -> String? {
    value.string.map { text in
      PinID(text).map { change.names.pins[$0] ?? DocumentChange.short($0.text) } ?? text
    }
  }

  func className(_ key: String?) -> String {
    guard let key else { return "nothing" }
    return ClassKey(key).flatMap { change.names.classes[$0] } ?? key
  }

  private func coordinate(_ value: JSON?) -> String {
    guard let value, let latitude = value["latitude"], let longitude = value["longitude"] else {
      return "no location"
    }
    return "\(latitude.displayText), \(longitude.displayText)"
  }
}

extension Stamp {
  /// The wall time in UTC, to the second, formatted for display.
  fileprivate var time: String {
    let text = RFC3339.text(milliseconds: milliseconds)
    return "\(text.prefix(10)) \(text.dropFirst(11).prefix(8)) UTC"
  }
}
