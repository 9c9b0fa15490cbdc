import Crypto
import SystemPackage

@testable import CairnFiles
@testable import CairnGit

/// Packs, as a server sends them.
let packTargets = [
  // An input is a pack without the hash at its end, or the objects of one: see `pack(of:)`.
  FuzzTarget("pack") { input in
    let root = workDirectory.appending("packs")
    let files = FileSystem()
    if try !files.exists(root.appending("HEAD")) {
      _ = try Repository.create(root, bare: true, files: files)
    }
    // Opened each time: a repository keeps the packs that it has seen open.
    let repository = try Repository.open(root, files: files)
    defer {
      for name in (try? files.list(repository.packDirectory)) ?? [] {
        try? files.remove(repository.packDirectory.appending(name))
      }
    }
    let (bytes, objects) = input.starts(with: "PACK".utf8) ? (input, []) : try pack(of: input)
    let receiver = try PackReceiver(repository)
    for piece in [bytes, Array(Insecure.SHA1.hash(data: bytes))] {
      try forEachPiece(of: piece) { try receiver.append($0) }
    }
    let commits = objects.filter { $0.kind == .commit }.map(\.id)
    _ = try receiver.finish(tips: commits)
    for object in objects {
      precondition(repository.contains(object.id), "an object of a pack is another one")
    }
    for name in try files.list(repository.packDirectory) ?? [] where name.hasSuffix(".idx") {
      let index = repository.packDirectory.appending(name)
      for id in PackListing.ids(index, files: files) ?? [] { try read(id, in: repository) }
    }
  }
]

/// Reads an object as what its type says.
private func read(_ id: ObjectID, in repository: Repository) throws {
  let kind = try repository.withObject(id) { kind, bytes in
    precondition(ObjectID(hashing: kind, Array(bytes)) == id, "an object has another hash")
    return kind
  }
  switch kind {
  case .commit: _ = try? repository.commit(id)
  case .tree: _ = try? repository.tree(id)
  case .blob, .tag: break
  }
}

/// Returns a pack of the objects that `@@` on a line of its own separates, without the hash at its
/// end, and the objects that it has if it is valid.
///
/// The first byte of an object is its type in the pack, 1 to 7; with the bit 0x40 the pack says that
/// the object is one byte longer than it is. That of a delta is followed by the number of the object
/// from which it differs.
///
/// Source: git's Documentation/gitformat-pack.txt, “pack-*.pack files have the following format”.
private func pack(
  of input: [UInt8]
) throws -> (bytes: [UInt8], objects: [(kind: ObjectKind, id: ObjectID)]) {
  let kinds: [UInt8: ObjectKind] = [1: .commit, 2: .tree, 3: .blob, 4: .tag]
  var objects: [(offset: Int, kind: ObjectKind, content: [UInt8])] = []
  let parts = parts(of: input).filter { $0.count >= 2 }.prefix(100)
  var pack = Array("PACK".utf8) + bigEndian(2) + bigEndian(UInt32(parts.count))
  for part in parts {
    let (type, offset) = (part[0] & 7, pack.count)
    let isDelta = type == 6 || type == 7
    let content = Array(part.dropFirst(isDelta ? 2 : 1))
    let size = content.count + (part[0] & 0x40 == 0 ? 0 : 1)
    pack += [0x80 | type << 4 | UInt8(size & 15)]
    pack += [0x80 | UInt8(size >> 4 & 0x7F), UInt8(size >> 11 & 0x7F)]
    if isDelta {
      let base = objects.isEmpty ? nil : objects[Int(part[1]) % objects.count]
      let distance = offset - (base?.offset ?? 0)
      if type == 6 {
        // The highest seven bits first; each further byte adds an implicit one to those before it.
        var (groups, rest) = ([UInt8(distance & 0x7F)], distance >> 7)
        while rest > 0 {
          groups.append(0x80 | UInt8((rest - 1) & 0x7F))
          rest = (rest - 1) >> 7
        }
        pack += groups.reversed()
      } else {
        (base.map { ObjectID(hashing: $0.kind, $0.content) } ?? .zero).withBytes { pack += $0 }
      }
      if let base, let result = try? PackDelta.apply(content, to: base.content) {
        objects.append((offset, base.kind, result))
      }
    } else if let kind = kinds[type] {
      objects.append((offset, kind, content))
    }
    pack += stored(content)
  }
  return (pack, objects.map { ($0.kind, ObjectID(hashing: $0.kind, $0.content)) })
}

/// Returns bytes in zlib's format, not compressed.
///
/// Source: RFC 1950, section 2.2; RFC 1951, section 3.2.4.
private func stored(_ bytes: [UInt8]) -> [UInt8] {
  let length = UInt16(truncatingIfNeeded: bytes.count)
  var (a, b) = (UInt32(1), UInt32(0))
  for byte in bytes {
    a = (a + UInt32(byte)) % 65521
    b = (b + a) % 65521
  }
  let lengths = [length, ~length].flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
  return [0x78, 0x01, 0x01] + lengths + bytes + bigEndian(b << 16 | a)
}

private func bigEndian(_ number: UInt32) -> [UInt8] {
  [24, 16, 8, 0].map { UInt8(number >> $0 & 0xFF) }
}
