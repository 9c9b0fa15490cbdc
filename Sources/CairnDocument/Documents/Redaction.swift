/// The record that facts were erased from all of a dataset's history: of one photo, or a person's
/// identity.
///
/// No merge removes it. See ``Erasure`` for the bytes of an image.
public struct Redaction: RegisterDocument {
  public static let kind = DocumentKind.redaction

  /// What the facts were about.
  public enum Subject: Hashable, Sendable {
    case photo(PhotoID)
    case person(ErasedPersonID)
  }

  /// A kind of erased fact.
  public enum Fact: String, Sendable, CaseIterable {
    /// Where a photo was taken.
    case position
    /// Everything that the dataset says about a photo and its image, with its labels.
    case metadata
    /// The address of a person.
    case identity

    /// Whether it is a fact about a photo.
    var isOfPhoto: Bool { self != .identity }
  }

  public private(set) var members: JSONObject
  /// What the facts were about.
  public let subject: Subject
  /// What was hashed together with a person's address: the id of a dataset; nil for a photo.
  public let salt: String?
  /// The erased facts, each with who erased them, when and why.
  public private(set) var facts: [Fact: Register<Erasure.Record>]

  /// Creates a record that names no facts yet.
  private init(_ subject: Subject, salt: String?) {
    (self.subject, self.salt, facts) = (subject, salt, [:])
    members = ["kind": .string(Redaction.kind.rawValue)]
    switch subject {
    case .photo(let id): members["photo"] = .string(id.description)
    case .person(let id): members["person"] = .string(id.text)
    }
    members["salt"] = salt.map { .string($0) }
  }

  /// Creates the record of a photo. Add what was erased with ``erase(_:by:reason:stamp:)``.
  public init(ofPhoto id: PhotoID) { self.init(.photo(id), salt: nil) }

  /// Creates the record of a person. Add what was erased with ``erase(_:by:reason:stamp:)``.
  public init(ofPerson person: Annotator, in dataset: DatasetID) {
    self.init(.person(ErasedPersonID(person, salt: dataset.text)), salt: dataset.text)
  }

  /// Records that facts were erased.
  ///
  /// - Precondition: The fact is one about the subject.
  public mutating func erase(_ fact: Fact, by person: Annotator, reason: String, stamp: Stamp) {
    let register = Register(Erasure.Record(by: person, reason: reason), stamp)
    facts[fact] = register
    members.set(fact.rawValue, register)
  }

  public init(checking members: JSONObject) throws(DocumentError) {
    facts = [:]
    let isOfPhoto = members["photo"] != nil
    if isOfPhoto {
      guard members["person"] == nil else { throw .schema("both “photo” and “person” are given") }
      subject = .photo(try members.id("photo") { PhotoID($0) })
      salt = nil
    } else {
      subject = .person(try members.id("person") { ErasedPersonID($0) })
      salt = try members.id("salt") { DatasetID($0) }.text
    }
    // Later versions may know other facts.
    for fact in Fact.allCases where fact.isOfPhoto == isOfPhoto {
      facts[fact] = try members.optionalRegister(fact.rawValue)
    }
    self.members = members
  }
}

/// A person whose identity was erased: the beginning of a hash of the address and of a salt.
public struct ErasedPersonID: RandomID {
  public static let digits = 20
  public let text: String
  public init(unchecked text: String) { self.text = text }

  /// Returns the id of a person, whose address counts in lower case.
  package init(_ person: Annotator, salt: String) {
    let content = "cairn erased person\n\(salt)\n\(person.identity.lowercased())"
    self.init(unchecked: hexHash(Array(content.utf8), digits: ErasedPersonID.digits))
  }

  /// The annotator that takes the place of the person.
  public var annotator: Annotator { Annotator(email: address)! }

  /// The address that takes the place of the person's, in a domain that cannot exist (RFC 2606).
  package var address: String { "erased-\(text)@cairn.invalid" }
}
