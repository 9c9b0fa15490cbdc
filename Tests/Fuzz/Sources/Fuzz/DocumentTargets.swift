@testable import Cairn
@testable import CairnDocument
@testable import CairnMerge
@testable import CairnStore

/// Documents, pointers and queries.
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
  FuzzTarget("pointer") { input in
    guard let pointer = Pointer(bytes: input) else { return }
    let again = Pointer(bytes: pointer.bytes)
    precondition(again?.id == pointer.id && again?.size == pointer.size, "a pointer changes")
  },
  FuzzTarget("query") { input in
    _ = try PhotoQuery(String(decoding: input, as: UTF8.self)).alternatives()
  },
]
