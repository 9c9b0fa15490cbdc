import CairnFiles
import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import CairnGit

@Suite("Packs that are copied as they are")
struct WholePackTests {
  private let sandbox: Sandbox
  private let repository: Repository
  private let tip: ObjectID
  private let pack: FilePath

  /// Commits 1,200 similar files, of which git makes one pack with deltas, and then another file.
  init() throws {
    sandbox = try Sandbox()
    _ = try sandbox.newRepository()
    try sandbox.sh(
      "awk 'BEGIN { while (i++ < 1200) { while (++j < i + 90) print j > i; close(i); j = i } }'")
    try sandbox.git("add", ".")
    try sandbox.git("commit", "-q", "-m", "files")
    try sandbox.git("repack", "-adq")
    try sandbox.sh("echo new > new; git add new; git commit -q -m new")
    repository = try sandbox.openRepository()
    tip = try #require(try repository.head())
    let name = try #require(try repository.packFiles().first?.name)
    pack = repository.packDirectory.appending(name)
  }

  private func file(_ ending: String) -> FilePath { FilePath(pack.string + ending) }

  private func names(in directory: String) throws -> [String] {
    try sandbox.names(in: "\(directory)/objects/pack").filter { !$0.hasSuffix(".rev") }
  }

  @Test("copies a pack of missing objects as it is, without reading its files, and then the others")
  func wholePack() throws {
    let other = try sandbox.newRepository("other", bare: true)
    let new = try repository.newObjects(from: tip, excluding: [])
    let before = repository.objectsRead
    try repository.copyPacks(of: new, to: other)
    // A commit, a tree and a file.
    #expect(repository.objectsRead - before == 3)
    #expect(try names(in: "other") == names(in: "repo/.git"))
    for ending in [".pack", ".idx"] {
      let copy = other.packDirectory.appending(pack.lastComponent!.string + ending)
      #expect(try FileSystem().read(copy) == FileSystem().read(file(ending)))
    }
    try sandbox.git("update-ref", "refs/heads/main", "\(tip)", in: "other")
    try sandbox.git("fsck", "--strict", "--full", in: "other")
    let ids = new.ids.map { Data("\($0)\n".utf8) }.reduce(Data(), +)
    let found = try sandbox.git("cat-file", "--batch-check", in: "other", stdin: ids).lines
    #expect(found.count == 1205 && !found.contains { $0.hasSuffix("missing") })
  }

  @Test("copies only the wanted objects of a pack that has others, too")
  func unreachable() throws {
    let other = try sandbox.newRepository("other", bare: true)
    let hidden = ObjectID(hashing: .blob, Array("hidden\n".utf8))
    try sandbox.sh("echo hidden | git hash-object -w --stdin; git repack -adkq")
    try repository.refreshObjects()
    #expect(repository.contains(hidden))
    try repository.copyPacks(of: repository.newObjects(from: tip, excluding: []), to: other)
    try other.refreshObjects()
    #expect(other.contains(tip) && !other.contains(hidden))
    let name = try #require(names(in: "other").first)
    #expect(try !names(in: "repo/.git").contains(name))
    try sandbox.git("fsck", "--strict", "--full", "\(tip)", in: "other")
  }

  @Test("copies nothing of a damaged pack or index", arguments: [".pack", ".idx"])
  func damaged(ending: String) throws {
    let other = try sandbox.newRepository("other", bare: true)
    let new = try repository.newObjects(from: tip, excluding: [])
    var bytes = try #require(try FileSystem().read(file(ending)))
    bytes[bytes.count - 3000] ^= 1
    try FileSystem().remove(file(ending))
    try FileSystem().create(file(ending), bytes)
    let error = #expect(throws: GitError.self) { try repository.copyPacks(of: new, to: other) }
    #expect(error?.code == .corrupt)
    #expect(error?.message.contains(file(ending).string) == true)
    #expect(try names(in: "other").isEmpty)
  }

  @Test(
    "sends a pack as it is to a server that supports deltas with distances",
    arguments: [true, false])
  func stream(allowsDeltas: Bool) throws {
    _ = try sandbox.newRepository("other", bare: true)
    let new = try repository.newObjects(from: tip, excluding: [])
    var (stream, steps) = (Data(), [Int]())
    try repository.writePack(
      of: new.ids, allowsOffsetDeltas: allowsDeltas, progress: { steps.append($0) }
    ) {
      stream.append(contentsOf: $0)
    }
    #expect(steps == steps.sorted() && steps.last == 1205)
    #expect(steps.contains(1202) == allowsDeltas)
    try sandbox.git("index-pack", "--stdin", "--strict", in: "other", stdin: stream)
    try sandbox.git("update-ref", "refs/heads/main", "\(tip)", in: "other")
    try sandbox.git("fsck", "--strict", "--full", in: "other")
    let name = try #require(names(in: "other").first { $0.hasSuffix(".idx") })
    let chains = try sandbox.git("verify-pack", "-sv", "objects/pack/\(name)", in: "other").lines
    #expect(chains.contains { $0.hasPrefix("chain length") } == allowsDeltas)
  }

  @Test("reads a pack that maintenance has removed since")
  func removed() throws {
    let new = try repository.newObjects(from: tip, excluding: [])
    let (packs, others) = try repository.wholePacks(of: new.ids)
    #expect(packs.map(\.count) == [1202] && others.count == 3)
    try sandbox.git("repack", "-adfq")
    #expect(try FileSystem().status(file(".pack")) == nil)
    let other = try sandbox.newRepository("other", bare: true)
    try #require(packs.first).copy(to: other)
    try sandbox.git(
      "verify-pack", other.packDirectory.appending(pack.lastComponent!.string + ".idx").string)
  }

  @Test("leaves a pack that is there, and copies what it lacks")
  func present() throws {
    let other = try sandbox.newRepository("other", bare: true)
    let new = try repository.newObjects(from: tip, excluding: [])
    try FileSystem().createDirectory(other.packDirectory)
    let theirs = other.packDirectory.appending(pack.lastComponent!.string + ".pack")
    try FileSystem().create(theirs, Array("theirs".utf8))
    try repository.copyPacks(of: new, to: other)
    #expect(try FileSystem().read(theirs) == Array("theirs".utf8))
    try FileSystem().remove(theirs)
    try sandbox.git("update-ref", "refs/heads/main", "\(tip)", in: "other")
    try sandbox.git("fsck", "--strict", "--full", in: "other")
  }

  @Test("hashes every object of a repository that is not trusted")
  func forged() throws {
    let other = try sandbox.newRepository("other", bare: true)
    let files = ["HEAD:1", "HEAD:2"].map { try? sandbox.git("rev-parse", $0).lines.first }
    // The index exchanges two files; both hashes in it are right.
    var bytes = try #require(try FileSystem().read(file(".idx")))
    let count = 1202
    let offsets = 8 + 1024 + count * 24
    let ids = try #require(PackListing.ids(file(".idx"), files: FileSystem()))
    let (a, b) = (
      try #require(ids.firstIndex { $0.description == files[0] }),
      try #require(ids.firstIndex { $0.description == files[1] })
    )
    for byte in 0..<4 { bytes.swapAt(offsets + 4 * a + byte, offsets + 4 * b + byte) }
    let sum = try sandbox.succeed("sha1sum", [], stdin: Data(bytes.dropLast(20))).stdout.prefix(40)
    try #require(ObjectID(sum)).withBytes { bytes.replaceSubrange((bytes.count - 20)..., with: $0) }
    try FileSystem().remove(file(".idx"))
    try FileSystem().create(file(".idx"), bytes)
    let new = try repository.newObjects(from: tip, excluding: [])
    let error = #expect(throws: GitError.self) { try repository.copy(new, to: other) }
    #expect(error?.message.contains(try #require(files[0])) == true)
    #expect(try names(in: "other").isEmpty)
  }
}
