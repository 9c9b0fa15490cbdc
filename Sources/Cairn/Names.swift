internal import CairnDocument
internal import CairnMerge

/// What classes and pins are called at one time, each document read once.
final class Names {
  private let read: (DocumentPath) throws -> [UInt8]?
  private var classes: [ClassKey: String] = [:]
  private var pins: [PinID: String] = [:]

  /// - Parameter read: Returns the bytes of a document; nil when there is none.
  init(_ read: @escaping (DocumentPath) throws -> [UInt8]?) { self.read = read }

  /// The display name of a class; its key where there is no document that reads.
  func name(of key: ClassKey) -> String {
    if let known = classes[key] { return known }
    let labelClass = bytes(.class(key)).flatMap { try? LabelClass(bytes: $0) }
    let name = labelClass.map(\.name.value).flatMap { $0.isEmpty ? nil : $0 } ?? key.text
    classes[key] = name
    return name
  }

  /// The name of a pin in quotation marks; the first digits of its id where it has none.
  func name(of id: PinID) -> String {
    if let known = pins[id] { return known }
    let pin = bytes(.pin(id)).flatMap { try? Pin(bytes: $0) }
    let name = pin.map(\.name.value).flatMap { $0.isEmpty ? nil : "“\($0)”" }
    pins[id] = name ?? DocumentChange.short(id.text)
    return pins[id]!
  }

  /// A name is worth no error: what cannot be read is told by whoever reads it for itself.
  private func bytes(_ path: DocumentPath) -> [UInt8]? { (try? read(path)) ?? nil }

  var naming: DocumentChange.Naming {
    DocumentChange.Naming(ofClass: { self.name(of: $0) }, ofPin: { self.name(of: $0) })
  }
}
