import CairnFiles
import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import CairnGit

@Suite("Writing packs")
struct PackWriterTests {
  /// Sizes at which an entry's header grows, and sizes above that of one batch.
  private static let sizes = [
    0, 1, 15, 16, 17, 127, 128, 2047, 2048, 65_535, 65_536, 1 << 20, (4 << 20) + 1, 9 << 20,
  ]

  @Test("writes a pack of objects of every size, which git reads")
  func everySize() throws {
    var random = SeededGenerator(1)
    var contents = PackWriterTests.sizes.map { random.bytes($0) }
    contents += PackWriterTests.sizes.map { [UInt8](repeating: 0x61, count: $0) }
    contents += (0..<500).map { Array("document \($0)\n".utf8) }
    let sandbox = try Sandbox()
    let repository = try sandbox.newRepository()
    let writer = PackWriter(repository)
    var ids = try contents.map { try writer.write(.blob, $0) }
    let tree = Tree(entries: [Tree.Entry(name: "f", node: TreeNode(.file, ids[1]))])
    ids.append(try writer.write(.tree, tree.bytes))
    let commit = Commit(tree: ids.last!, parents: [], author: .ann, committer: .ann, message: "m")
    ids.append(try writer.write(commit))
    try writer.finish()
    #expect(writer.count == Set(ids).count)

    try sandbox.checkPacks(count: 1, objects: Set(ids).count)
    #expect(try sandbox.objects(Array(ids.prefix(contents.count))) == contents)
    try repository.refreshObjects()
    for (id, bytes) in zip(ids, contents) { #expect(try repository.blob(id) == bytes) }
    #expect(try repository.commit(ids.last!) == commit.withFinalNewline)
  }

  @Test("writes random packs that git accepts", arguments: UInt64(0)..<8)
  func randomPacks(seed: UInt64) throws {
    var random = SeededGenerator(seed)
    let sandbox = try Sandbox()
    let repository = try sandbox.newRepository()
    let writer = PackWriter(repository)
    var ids: [ObjectID] = []
    for _ in 0..<Int.random(in: 1...400, using: &random) {
      let size = Int.random(in: 0...(1 << Int.random(in: 0...16, using: &random)), using: &random)
      let isDense = Bool.random(using: &random)
      let bytes = isDense ? random.bytes(size) : [UInt8](repeating: UInt8(size & 255), count: size)
      ids.append(try writer.write(.blob, bytes))
    }
    try writer.finish()
    try sandbox.checkPacks(count: 1, objects: Set(ids).count)
  }

  @Test(
    "stores similar objects as deltas, also when some objects are left out",
    arguments: UInt64(0)..<8)
  func families(seed: UInt64) throws {
    var random = SeededGenerator(seed)
    func lines(_ count: Int) -> [[UInt8]] {
      (0..<count).map { _ in
        let length = Int.random(in: 0...(Bool.random(using: &random) ? 20 : 300), using: &random)
        return random.bytes(length).map { $0 == 0x0A ? 0x61 : $0 } + [0x0A]
      }
    }
    let sandbox = try Sandbox()
    let repository = try sandbox.newRepository()
    let writer = PackWriter(repository)
    var contents: [ObjectID: [UInt8]] = [:]
    let segment = PackSegment()
    for _ in 0..<12 {
      var document = lines(Int.random(in: 0...40, using: &random))
      for index in 0..<Int.random(in: 1...40, using: &random) {
        let line = Int.random(in: 0...document.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: document.insert(contentsOf: lines(1), at: line)
        case 1: document.replaceSubrange(line..<min(line + 2, document.count), with: lines(2))
        case 2: document.removeSubrange(line..<min(line + 1, document.count))
        default: break
        }
        let bytes = Array(document.joined().dropLast(Int.random(in: 0...1, using: &random)))
        let family = ["labels", "photos", nil].randomElement(using: &random)!
        contents[segment.add(.blob, bytes, family: index % 9 == 8 ? nil : family)] = bytes
      }
      let isWhole = Bool.random(using: &random)
      var left: Set<ObjectID> = []
      try writer.append(segment) { index in
        if isWhole || index % 3 == 0 { return true }
        left.insert(segment.id(at: index))
        return false
      }
      for id in left where try writer.content(of: id) == nil { contents[id] = nil }
      segment.removeAll()
    }
    for (id, bytes) in contents { #expect(try writer.content(of: id) == bytes) }
    try writer.finish()
    try sandbox.checkPacks(count: 1, objects: contents.count)
    try repository.refreshObjects()
    for (id, bytes) in contents { #expect(try repository.blob(id) == bytes) }
    let ids = Array(contents.keys)
    #expect(try sandbox.objects(ids) == ids.map { contents[$0]! })
  }

  @Test("stores each further label of a photo in less than 50 bytes")
  func labelsOfPhoto() throws {
    let segment = PackSegment()
    let size = { segment.bytes.count }
    var sizes: [Int] = []
    for photo in 0..<3 {
      for label in 0..<5 {
        let before = size()
        let text =
          """
          {
            "annotator": "human:ann@example.org",
            "class": "class-\(label)",
            "kind": "label",
            "photo": "\(String(repeating: "\(photo)", count: 64))",
            "stamp": "2026-01-01T00:00:00.000Z-0000-7f3a9c21",
            "verdict": "present"
          }

          """
        segment.add(.blob, Array(text.utf8), family: "labels")
        sizes.append(size() - before)
      }
    }
    // Two headers, one inserted line and some copied runs.
    #expect(sizes.enumerated().allSatisfy { $0.offset % 5 == 0 || $0.element < 50 }, "\(sizes)")
    #expect(sizes[5] < 150 && sizes[10] < 150, "\(sizes)")
  }

  @Test("writes a repeated object once")
  func duplicates() throws {
    let sandbox = try Sandbox()
    let writer = PackWriter(try sandbox.newRepository())
    let big = [UInt8](repeating: 1, count: 5 << 20)
    for _ in 0..<3 {
      _ = try writer.write(.blob, Array("same".utf8))
      _ = try writer.write(.blob, big)
    }
    #expect(writer.count == 2)
    try writer.finish()
    try sandbox.checkPacks(count: 1, objects: 2)
  }

  @Test("skips objects that the repository already has, loose or packed")
  func known() throws {
    let sandbox = try Sandbox()
    let repository = try sandbox.newRepository()
    let loose = try LooseObjectWriter(repository).write(.blob, Array("loose".utf8))
    let first = PackWriter(repository)
    _ = try first.write(.blob, Array("packed".utf8))
    try first.finish()
    try repository.refreshObjects()

    let second = PackWriter(repository)
    #expect(try second.write(.blob, Array("loose".utf8)) == loose)
    _ = try second.write(.blob, Array("packed".utf8))
    #expect(second.count == 0)
    try second.finish()
    try sandbox.checkPacks(count: 1, objects: 1)
    _ = try second.write(.blob, Array("new".utf8))
    try second.finish()
    try sandbox.checkPacks(count: 2, objects: 2)
  }

  @Test("starts another pack after one is finished")
  func another() throws {
    let sandbox = try Sandbox()
    let writer = PackWriter(try sandbox.newRepository())
    for text in ["one", "two", "three"] {
      _ = try writer.write(.blob, Array(text.utf8))
      try writer.finish()
    }
    try writer.finish()
    try sandbox.checkPacks(count: 3, objects: 3)
  }

  @Test("begins another pack when one is full, and shows none before the end")
  func full() throws {
    let sandbox = try Sandbox()
    let repository = try sandbox.newRepository()
    let temporary = sandbox.root.appending("tmp")
    let writer = PackWriter(repository, temporaryDirectory: temporary, packLimit: 10)
    var contents: [ObjectID: [UInt8]] = [:]
    for group in 0..<50 {
      let segment = PackSegment()
      for index in 0..<7 {
        let bytes = Array("document \(group)\nof number \(index)\n".utf8)
        contents[segment.add(.blob, bytes, family: "labels")] = bytes
      }
      try writer.append(segment)
      #expect(writer.heldCount < 10)
    }
    #expect(writer.count == 350)
    for (id, bytes) in contents { #expect(try writer.content(of: id) == bytes) }
    #expect(try writer.content(of: ObjectID(hashing: .blob, [])) == nil)
    #expect(try sandbox.names(in: "repo/.git/objects/pack").isEmpty)
    try writer.finish()
    try sandbox.checkPacks(count: 25, objects: 350)
    try repository.refreshObjects()
    for (id, bytes) in contents { #expect(try repository.blob(id) == bytes) }
    #expect(try sandbox.names(in: "tmp").isEmpty)
  }

  @Test("removes the files of full packs that are never finished")
  func droppedFull() throws {
    let sandbox = try Sandbox()
    let repository = try sandbox.newRepository()
    do {
      let writer = PackWriter(
        repository, temporaryDirectory: sandbox.root.appending("tmp"), packLimit: 1)
      for byte in UInt8(0)..<3 {
        _ = try writer.write(.blob, [UInt8](repeating: byte, count: 5 << 20))
      }
      #expect(try sandbox.names(in: "tmp").count == 6)
    }
    #expect(try sandbox.names(in: "tmp").isEmpty)
  }

  @Test("removes the file of a pack that is never finished")
  func dropped() throws {
    let sandbox = try Sandbox()
    let repository = try sandbox.newRepository()
    do {
      let writer = PackWriter(repository)
      _ = try writer.write(.blob, [UInt8](repeating: 1, count: 5 << 20))
      #expect(try sandbox.names(in: "repo/.git/objects/pack").count == 1)
    }
    #expect(try sandbox.names(in: "repo/.git/objects/pack").isEmpty)
  }

  @Test("leaves a whole pack or nothing when any step fails, and fails again if continued")
  func faults() throws {
    let counting = FileFaultPlan()
    try writeSample(Sandbox(), counting)
    #expect(counting.stepsSeen > 8)
    for step in 0..<counting.stepsSeen {
      let sandbox = try Sandbox()
      #expect(throws: FileError.self, "step \(step)") {
        try writeSample(sandbox, FileFaultPlan(failing: step))
      }
      let names = try sandbox.names(in: "repo/.git/objects/pack")
      // The last step only makes the names durable.
      if step == counting.stepsSeen - 1 {
        try sandbox.checkPacks(count: 1, objects: 3)
      } else {
        #expect(names.isEmpty, "step \(step) left \(names)")
      }
    }
  }

  /// Writes two batches and expects that an error, once thrown, is thrown again.
  private func writeSample(_ sandbox: Sandbox, _ plan: FileFaultPlan) throws {
    _ = try sandbox.newRepository()
    let writer = PackWriter(
      objectsDirectory: sandbox.root.appending("repo/.git/objects"), files: plan.files)
    do {
      for byte in UInt8(0)..<3 {
        _ = try writer.write(.blob, [UInt8](repeating: byte, count: (2 << 20) + 1))
      }
      try writer.finish()
    } catch {
      #expect(throws: (any Error).self) { try writer.finish() }
      throw error
    }
  }
}

extension Commit {
  fileprivate var withFinalNewline: Commit {
    var commit = self
    commit.message += "\n"
    return commit
  }
}

extension Sandbox {
  /// Checks every pack and the whole repository with git.
  func checkPacks(count: Int, objects: Int) throws {
    let directory = "repo/.git/objects/pack"
    let names = try names(in: directory)
    let packs = names.filter { $0.hasSuffix(".pack") }
    #expect(packs.count == count)
    #expect(names.count == 2 * count, "\(names)")
    var found = 0
    for pack in packs {
      let path = root.appending(directory).appending(pack).string
      let index = root.appending("check.idx").string
      let output = try git("index-pack", "--strict", "--index-version=2", "-o", index, path).stdout
      #expect(pack.contains(output.split(separator: "\n")[0]))
      // Git makes the same index of the pack as cairn, byte for byte.
      #expect(try read("check.idx") == read(directory + "/" + pack.dropLast(5) + ".idx"))
      try FileSystem().remove(FilePath(index))
      found += try git("verify-pack", "-v", path).lines.filter { line in
        [" blob ", " tree ", " commit "].contains { line.contains($0) }
      }.count
    }
    #expect(found == objects)
    try git("fsck", "--strict")
  }

  /// Returns the contents of objects, as `git cat-file --batch` prints them.
  fileprivate func objects(_ ids: [ObjectID]) throws -> [[UInt8]] {
    let input = ids.map { "\($0)\n" }.joined()
    var rest = Array(try git("cat-file", "--batch", stdin: Data(input.utf8)).bytes)[...]
    var objects: [[UInt8]] = []
    while let end = rest.firstIndex(of: 0x0A) {
      let fields = String(decoding: rest[..<end], as: UTF8.self).split(separator: " ")
      let size = try #require(Int(fields[2]))
      objects.append(Array(rest[(end + 1)...].prefix(size)))
      rest = rest[(end + 1)...].dropFirst(size + 1)
    }
    return objects
  }
}
