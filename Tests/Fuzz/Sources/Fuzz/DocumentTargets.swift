@testable import Cairn
@testable import CairnDocument
@testable import CairnMerge
@testable import CairnStore

/// Documents, what is erased from them, pointers, queries and lists.
let documentTargets = [
  FuzzTarget("document") { input in
    let document = try Document(bytes: input)
    let canonical = document.canonicalBytes
    // What cairn writes, it reads again, and writes in the same way.
    if canonical.count > DocumentLimit.size { return }
    let again = try? Document(bytes: canonical, at: document.path)
    precondition(again?.canonicalBytes == canonical, "a canonical document is read differently")
  },
  FuzzTarget("manifest") { input in
    let manifest = try Manifest(bytes: input)
    precondition((try? Manifest(bytes: manifest.canonicalBytes)) != nil, "a manifest is not read")
  },
  FuzzTarget("document-line") { input in
    let line = try DocumentLine(bytes: input)
    let stamp = Stamp("2026-11-20T23:31:05.123Z-0003-7f3a9c21")!
    let rules = DocumentLine.Rules(stamp: stamp, person: Annotator("human:ann@example.org")!) {
      name throws(DocumentError) in
      guard let key = ClassKey(naming: name) else { throw .schema("no class has this name") }
      return key
    }
    _ = try line.path(rules)
  },
  FuzzTarget("merge") { input in
    let parts = parts(of: input)
    guard parts.count == 2 else { return }
    let (ours, theirs) = (try JSON(bytes: parts[0]), try JSON(bytes: parts[1]))
    let joined = ours.joined(with: theirs)
    let reversed = theirs.joined(with: ours)
    precondition(
      joined.canonicalBytes == reversed.canonicalBytes, "a join is not commutative")
    precondition(
      joined.joined(with: ours).canonicalBytes == joined.canonicalBytes, "a join is not idempotent")
    guard let path = try? Document(bytes: parts[0]).path else { return }
    let merge = DocumentMerge(parts[0], parts[1], at: path)
    precondition(
      merge.bytes == DocumentMerge(parts[1], parts[0], at: path).bytes,
      "a merge depends on the order of the sides")
  },
  FuzzTarget("erase") { input in
    let eraser = FactEraser(erasedFacts)
    for kind in DocumentKind.allCases.map(Optional.some) + [nil] {
      let photo = kind == .photo ? erasedPhoto : nil
      guard let erased = eraser.erased(input, as: kind, of: photo),
        erased.count <= DocumentLimit.size
      else { continue }
      precondition(
        eraser.erased(erased, as: kind, of: photo) == erased, "erasing twice is not erasing once")
    }
    let label = eraser.erasedLabel(input)
    precondition(
      label.count > DocumentLimit.size || eraser.erasedLabel(label) == label,
      "erasing twice is not erasing once")
    let text = String(decoding: input, as: UTF8.self)
    for erase in [eraser.replacingAddresses, eraser.erasedMessage] {
      let erased = erase(text)
      precondition(erase(erased) == erased, "erasing twice is not erasing once")
    }
    let mailmap = eraser.erasedMailmap(input)
    precondition(
      eraser.erasedMailmap(mailmap) == mailmap, "erasing twice is not erasing once")
  },
  FuzzTarget("pointer") { input in
    guard let pointer = Pointer(bytes: input) else { return }
    let again = Pointer(bytes: pointer.bytes)
    precondition(again?.id == pointer.id && again?.size == pointer.size, "a pointer changes")
  },
  FuzzTarget("query") { input in
    _ = try PhotoQuery(String(decoding: input, as: UTF8.self)).alternatives()
  },
  FuzzTarget("mailmap") { input in
    let mailmap = Mailmap(String(decoding: input, as: UTF8.self))
    _ = mailmap.lookup(name: "Ann", email: "ann@example.org")
    _ = mailmap.address(of: "ann@example.org")
  },
  FuzzTarget("class-list") { input in
    for form in [ClassList.Form.text, .csv, .json] {
      _ = try? ClassList(input, form, named: "list")
    }
  },
]

private let erasedPhoto = PhotoID(String(repeating: "ab", count: 32))!

private let erasedFacts = ErasedFacts(
  text: """
    position \(erasedPhoto)
    metadata \(String(repeating: "cd", count: 32))
    person \(ErasedPersonID(Annotator("human:ann@example.org")!, salt: "salt").text) salt
    """)
