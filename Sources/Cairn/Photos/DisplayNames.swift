internal import CairnDocument
internal import CairnMerge

/// The display names of classes and pins at one point in time; each document is read once.
final class DisplayNames {
  private let read: (DocumentPath) throws -> [UInt8]?
  private var classes: [ClassKey: String] = [:]
  private var pins: [PinID: String] = [:]

  /// - Parameter read: Returns the bytes of a document; nil when there is none.
  init(_ read: @escaping (DocumentPath) throws -> [UInt8]?) { self.read = read }

  /// Returns the display name of a class, or its key if no document is readable.
  func name(of key: ClassKey) -> String {
    if let known = classes[key] { return known }
    let labelClass = bytes(.class(key)).flatMap { try? LabelClass(bytes: $0) }
    let name = labelClass.map(\.name.value).flatMap { $0.isEmpty ? nil : $0 } ?? key.text
    classes[key] = name
    return name
  }

  /// Returns the name of a pin in quotation marks, or the first digits of its id if it has none.
  func name(of id: PinID) -> String {
    if let known = pins[id] { return known }
    let pin = bytes(.pin(id)).flatMap { try? Pin(bytes: $0) }
    let name = pin.map(\.name.value).flatMap { $0.isEmpty ? nil : "“\($0)”" }
    pins[id] = name ?? DocumentChange.short(id.text)
    return pins[id]!
  }

  /// Returns nil for unreadable documents: a missing name is no error, and the code that needs the
  /// document itself reports it.
  private func bytes(_ path: DocumentPath) -> [UInt8]? { (try? read(path)) ?? nil }

  var naming: DocumentChange.Naming {
    DocumentChange.Naming(ofClass: { self.name(of: $0) }, ofPin: { self.name(of: $0) })
  }
}
