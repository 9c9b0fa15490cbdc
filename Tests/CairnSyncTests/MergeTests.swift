import CairnDocument
import CairnGit
import CairnStore
import Foundation
import SystemPackage
import Testing

@testable import CairnSync

@Suite("Merging histories")
struct MergeTests {
  @Test("creates the same commit on two devices that merge the same commits")
  func sameCommit() throws {
    let devices = try Devices()
    let a = try devices.start("a")
    let b = try devices.clone("b")
    try a.label(1, "oak", by: "alice")
    try b.label(1, "oak", by: "bob")
    try a.commit()
    try b.commit()
    // a <--> b, at the same time
    try a.addRemote("b", b.directory.root.string, creating: false, relativeTo: devices.root)
    try b.addRemote("a", a.directory.root.string, creating: false, relativeTo: devices.root)
    let before = try #require(try a.repository.head())
    _ = try a.pull("b")
    let joined = try #require(try a.repository.head())
    // b sees a as it was before the merge
    try a.repository.moveReference(
      "refs/heads/main", from: joined, to: before, log: (try a.author(), "test"))
    _ = try b.pull("a")
    #expect(try b.repository.head() == joined)
    #expect(try b.labels().count == 2)
    var commit = try a.repository.commit(joined)
    #expect(Replica.isOwnMerge(commit))
    // As the first versions of cairn wrote it.
    commit.message = commit.message.replacingOccurrences(of: "Merge", with: "Join")
    #expect(Replica.isOwnMerge(commit))
    commit.message = "Merge branches"
    #expect(!Replica.isOwnMerge(commit))
  }

  @Test("merges criss-cross histories to equal trees, in either order", arguments: [true, false])
  func crissCross(aFirst: Bool) throws {
    let devices = try Devices()
    let a = try devices.start("a")
    let b = try devices.clone("b")
    // A pin that both move several times, with criss-cross merges in between.
    let pin = PinID(unchecked: "0123456789abcdef0123")
    try a.write { [.pin(Pin(id: pin, at: place(1), name: "here", stamp: $0.stamp()))] }
    try a.sync()
    try b.sync()
    for round in 0..<4 {
      for (device, offset) in [(a, 10.0), (b, 20.0)] {
        guard case .pin(var document) = try device.directory.document(at: .pin(pin)) else { return }
        try device.write { session in
          document.location = Register(
            place(offset + Double(round)), session.stamp(replacing: document.location.stamp))
          if round % 2 == 0 {
            document.name = Register(
              "\(offset) \(round)", session.stamp(replacing: document.name.stamp))
          }
          return [.pin(document)]
        }
        try device.commit()
      }
      // Each merges the other's earlier commit, so there are two merge bases.
      for (device, other) in aFirst ? [(a, b), (b, a)] : [(b, a), (a, b)] {
        let name = "other"
        if try device.repository.remoteURL(name) == nil {
          try device.addRemote(
            name, other.directory.root.string, creating: false, relativeTo: devices.root)
        }
      }
      let (headA, headB) = (try a.repository.head()!, try b.repository.head()!)
      let writerA = LooseObjectWriter(a.repository)
      _ = try a.fetch(
        from: try a.openRemote("other").remote, named: "other", options: TransferOptions())
      _ = try b.fetch(
        from: try b.openRemote("other").remote, named: "other", options: TransferOptions())
      let treeA = try a.mergeTrees(headA, headB, writer: writerA).tree
      let treeB = try b.mergeTrees(headB, headA, writer: LooseObjectWriter(b.repository)).tree
      #expect(treeA == treeB)
      _ = try a.pull("other")
      try b.label(round, "oak", by: "bob")
      try b.commit()
      _ = try b.pull("other")
    }
    _ = try a.pull("other")
    #expect(try a.headTree() == b.headTree())
  }

  @Test("does not read what neither side changed")
  func costFollowsChanges() throws {
    let devices = try Devices()
    let a = try devices.start("a")
    try a.label(0..<300, "oak", by: "alice")
    try a.sync()
    let b = try devices.clone("b")
    try a.label(7, "elm", by: "alice")
    try b.label(8, "elm", by: "bob")
    try a.sync()
    try b.commit()
    let fresh = try devices.reopen(b)
    _ = try fresh.fetch(
      from: try fresh.openRemote(nil).remote, named: "origin", options: TransferOptions())
    let (ours, theirs) = (
      try #require(try fresh.repository.head()),
      try #require(try fresh.repository.reference("refs/remotes/origin/main"))
    )
    let before = fresh.repository.objectsRead
    _ = try fresh.mergeTrees(ours, theirs, writer: AdaptiveObjectWriter(fresh.repository))
    // Three commits, three versions of the root, of `labels` and of the directories in between, and
    // the two new labels, which another tool may have written in another form; and the trees once
    // more, for paths that git refuses.
    #expect(fresh.repository.objectsRead - before < 64)
  }

  @Test("reads only new commits from a remote that was just added")
  func newRemoteCost() throws {
    let devices = try Devices()
    let a = try devices.start("a")
    let b = try devices.clone("b")
    try a.label(10..<300, "oak", by: "alice")
    try a.sync()
    try b.sync()
    try a.label(1, "elm", by: "alice")
    try a.commit()
    try b.label(2, "elm", by: "bob")
    try b.commit()
    try b.addRemote("a", a.directory.root.string, creating: false, relativeTo: devices.root)
    let remote = try b.openRemote("a").remote
    let repository = try #require(remote.git as? DirectoryRemote).repository
    let before = repository.objectsRead
    _ = try b.fetch(from: remote, named: "a", options: TransferOptions())
    #expect(repository.objectsRead - before < 40)
  }

  @Test("merges histories in any order to one tree, with plain git's commits among them")
  func everyOrder() throws {
    // Four histories from one commit: edits, a removal with git, an edit by hand, a label.
    let devices = try Devices()
    let start = try devices.start("start")
    let pin = PinID(unchecked: "0123456789abcdef0123")
    try start.write { [.pin(Pin(id: pin, at: place(1), name: "here", stamp: $0.stamp()))] }
    try start.label(1, "oak", by: "alice")
    try start.label(2, "oak", by: "alice")
    try start.sync()
    let names = ["a", "b", "c", "d"]
    let sides = try names.map { try devices.clone($0) }
    let path = DocumentPath.pin(pin).description
    for (side, name) in zip(sides, ["by a", "by b"]) {
      guard case .pin(var document) = try side.directory.document(at: .pin(pin)) else { return }
      try side.write { session in
        document.name = Register(name, session.stamp(replacing: document.name.stamp))
        return [.pin(document)]
      }
      try side.commit()
    }
    try devices.git("rm", "-rq", "labels", at: sides[2].directory.root)
    try devices.git("commit", "-qm", "no labels", at: sides[2].directory.root)
    let text = String(decoding: try #require(try sides[3].directory.read(path)), as: UTF8.self)
    try sides[3].directory.write(
      Array(text.replacingOccurrences(of: "\"here\"", with: "\"by hand\"").utf8), to: path)
    try devices.git("commit", "-qam", "by hand", at: sides[3].directory.root)
    try sides[1].label(1, "oak", by: "alice", .absent)
    try sides[1].commit()

    let observer = try devices.clone("observer")
    for side in sides {
      try observer.addRemote(
        side.directory.root.lastComponent!.string, side.directory.root.string, creating: false,
        relativeTo: devices.root)
      let name = side.directory.root.lastComponent!.string
      _ = try observer.fetch(
        from: try observer.openRemote(name).remote, named: name, options: TransferOptions())
    }
    let heads = try sides.map { try #require(try $0.repository.head()) }
    var trees = Set<ObjectID>()
    func join(_ rest: [ObjectID], into joined: ObjectID) throws {
      if rest.isEmpty { trees.insert(try observer.repository.commit(joined).tree) }
      for (index, head) in rest.enumerated() {
        var others = rest
        others.remove(at: index)
        try join(others, into: try merge(joined, head))
      }
    }
    func merge(_ a: ObjectID, _ b: ObjectID) throws -> ObjectID {
      let writer = LooseObjectWriter(observer.repository)
      let tree = try observer.mergeTrees(a, b, writer: writer).tree
      return try writer.write(try observer.mergeCommit(of: a, b, tree: tree))
    }
    for (index, head) in heads.enumerated() {
      var others = heads
      others.remove(at: index)
      try join(others, into: head)
    }
    // Pairs merged criss-cross and then with each other: several merge bases.
    let (ab, cd, bc, da) = (
      try merge(heads[0], heads[1]), try merge(heads[2], heads[3]), try merge(heads[1], heads[2]),
      try merge(heads[3], heads[0])
    )
    for (x, y) in [(ab, cd), (bc, da), (try merge(ab, bc), try merge(cd, da))] {
      trees.insert(try observer.repository.commit(try merge(x, y)).tree)
    }
    #expect(trees.count == 1)
    let tree = try #require(trees.first)
    let label = DocumentPath.labels(of: photoID(1))
    #expect(try observer.repository.node(at: label, in: tree) != nil)
    #expect(try observer.repository.node(at: DocumentPath.labels(of: photoID(2)), in: tree) == nil)
  }

  @Test("takes the remote's history unchanged when it lacks only local merge commits")
  func onlyOwnMerges() throws {
    let devices = try Devices()
    let a = try devices.start("a")
    let b = try devices.clone("b")
    let c = try devices.clone("c")
    for (device, name) in [(a, "alice"), (b, "bob"), (c, "carol")] {
      try device.label(1, "oak", by: name)
      try device.commit()
      for other in ["a", "b", "c"] {
        try device.addRemote(
          other, devices.root.appending(other).string, creating: false, relativeTo: devices.root)
      }
    }
    // a merges b, then c; c merges b, then the old a: two histories of the same three commits.
    let before = try #require(try a.repository.head())
    _ = try a.pull("b")
    _ = try a.pull("c")
    let joined = try #require(try a.repository.head())
    let user = try a.author()
    try a.repository.moveReference("refs/heads/main", from: joined, to: before, log: (user, "test"))
    _ = try c.pull("b")
    _ = try c.pull("a")
    try a.repository.moveReference("refs/heads/main", from: before, to: joined, log: (user, "test"))
    #expect(try c.repository.head() != joined)

    let report = try c.pull("a")
    #expect(report.outcome == .fastForward)
    #expect(try c.repository.head() == joined)
    #expect(try c.labels().count == 3)
    #expect(try c.workingState().changes.isEmpty)
  }

  @Test("merges unrelated datasets only on request")
  func unrelated() throws {
    let devices = try Devices()
    let a = try devices.start("a")
    try a.label(1, "oak", by: "alice")
    try a.sync()
    let b = try Replica.create(
      devices.root.appending("b"), name: "other", command: nil, environment: devices.environment())
    try b.addRemote("origin", devices.remote.string, creating: false, relativeTo: devices.root)
    try b.label(1, "oak", by: "bob")
    try b.commit()
    #expect(throws: SyncError.unrelated(remote: "origin")) { try b.pull() }
    try b.pull(allowUnrelatedHistories: true)
    try b.sync()
    try a.sync()
    #expect(try a.headTree() == b.headTree())
    #expect(try a.labels().count == 2)
  }

  @Test("removes a document removed with git unless the other side changed it")
  func removedAndChanged() throws {
    let devices = try Devices()
    let a = try devices.start("a")
    try a.label(1, "oak", by: "alice")
    try a.label(2, "oak", by: "alice")
    try a.sync()
    let b = try devices.clone("b")
    try devices.git("rm", "-rq", "labels", at: b.directory.root)
    try b.commit()
    try a.label(1, "oak", by: "alice", .absent)
    try a.sync()
    let report = try b.sync()
    #expect(report.pulls.last?.merge.kept.count == 1)
    try a.sync()
    #expect(try a.labels().map(\.photo) == [photoID(1)])
    #expect(try a.headTree() == b.headTree())
  }

  @Test("keeps the lines of both sides in another text file, in the same order")
  func otherTextFiles() throws {
    let devices = try Devices()
    let a = try devices.start("a")
    try a.directory.write(Array("Ann <ann@x>\n".utf8), to: ".mailmap")
    try devices.git("add", ".mailmap", at: a.directory.root)
    try devices.git("commit", "-qm", "one", at: a.directory.root)
    try a.sync()
    let b = try devices.clone("b")
    for (device, line) in [(a, "Bob <bob@x>\n"), (b, "Cy <cy@x>\n")] {
      try device.directory.write(Array("Ann <ann@x>\n\(line)".utf8), to: ".mailmap")
      try devices.git("commit", "-qam", "another", at: device.directory.root)
    }
    try a.sync()
    try b.sync()
    try a.sync()
    #expect(try a.headTree() == b.headTree())
    let text = String(decoding: try a.directory.read(".mailmap") ?? [], as: UTF8.self)
    #expect(Set(text.split(separator: "\n")) == ["Ann <ann@x>", "Bob <bob@x>", "Cy <cy@x>"])
  }

  @Test("merges a criss-cross history of 400 levels")
  func longCrissCross() throws {
    let devices = try Devices()
    let a = try devices.start("a")
    let repository = a.repository
    let root = try #require(try repository.head())
    let tree = try repository.commit(root).tree
    let writer = LooseObjectWriter(repository)
    func commit(_ parents: [ObjectID], _ text: String) throws -> ObjectID {
      let blob = TreeNode(.file, try writer.write(.blob, Array("\(text)\n".utf8)))
      let name = parents.count == 1 ? "notes/\(text)" : "notes/both"
      let by = try a.author()
      return try writer.write(
        Commit(
          tree: try repository.edit(tree, [(name, blob)], writer: writer), parents: parents,
          author: by, committer: by, message: text))
    }
    var (x, y) = (try commit([root], "x"), try commit([root], "y"))
    for level in 0..<400 {
      (x, y) = (try commit([x, y], "x\(level)"), try commit([y, x], "y\(level)"))
    }
    let merged = try a.mergeTrees(x, y, writer: writer).tree
    #expect(try a.mergeTrees(y, x, writer: writer).tree == merged)
  }

  @Test("takes the version of another file that was committed last, and reports it")
  func otherFiles() throws {
    let devices = try Devices()
    let a = try devices.start("a")
    let b = try devices.clone("b")
    for (device, text) in [(a, "from a\n"), (b, "from b\n")] {
      try device.directory.write(Array(text.utf8) + [0], to: "notes/read me.txt")
      try devices.git("add", "notes", at: device.directory.root)
      try devices.git("commit", "-qm", "notes", at: device.directory.root)
    }
    try a.sync()
    let report = try b.sync()
    #expect(report.pulls.last?.merge.replaced == ["notes/read me.txt"])
    try a.sync()
    #expect(try a.headTree() == b.headTree())
    #expect(try devices.git("status", "--porcelain", at: a.directory.root) == "")
  }

  /// Makes A and its clone B with a file that is not a document, committed with git.
  private func pair(
    _ devices: Devices, with bytes: [UInt8], at path: String
  ) throws -> (a: Replica, b: Replica) {
    let a = try devices.start("a")
    try write(bytes, to: path, a, devices)
    try a.sync()
    return (a, try devices.clone("b"))
  }

  /// Commits a file with git.
  private func write(
    _ bytes: [UInt8], to path: String, _ device: Replica, _ devices: Devices
  ) throws {
    try device.directory.write(bytes, to: path)
    try devices.git("add", path, at: device.directory.root)
    try devices.git("commit", "-qm", path, at: device.directory.root)
  }

  @Test("merges the executable bit of another file and its contents separately")
  func executableBit() throws {
    let devices = try Devices()
    let (a, b) = try pair(devices, with: Array("1\n".utf8), at: "train.py")
    try write(Array("1\n2\n".utf8), to: "train.py", b, devices)
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o755],
      ofItemAtPath: a.directory.root.appending("train.py").string)
    try devices.git("commit", "-qam", "executable", at: a.directory.root)
    try a.sync()
    #expect(try b.sync().pulls.last?.merge.replaced == [])
    try a.sync()
    for device in [a, b] {
      #expect(try device.directory.read("train.py") == Array("1\n2\n".utf8))
      let node = try device.repository.node(at: "train.py", in: device.headTree())
      #expect(node?.mode == .executable)
      #expect(try devices.git("status", "--porcelain", at: device.directory.root) == "")
    }
  }

  @Test("takes the later one of two pointers of git-lfs, and reports it")
  func otherPointers() throws {
    let devices = try Devices()
    let path = "models/net.onnx"
    func pointer(_ seed: Int) -> [UInt8] { Pointer(id: photoID(seed), size: 1000 * seed).bytes }
    let (a, b) = try pair(devices, with: pointer(1), at: path)
    try write(pointer(2), to: path, a, devices)
    try write(pointer(3), to: path, b, devices)
    try a.sync()
    #expect(try b.sync().pulls.last?.merge.replaced == [path])
    try a.sync()
    for device in [a, b] { #expect(try device.directory.read(path) == pointer(3)) }
  }

  @Test("reports an edit of a file that the other side replaced by a directory")
  func directoryForFile() throws {
    let devices = try Devices()
    let (a, b) = try pair(devices, with: Array("1\n".utf8), at: "notes")
    try write(Array("1\n2\n".utf8), to: "notes", a, devices)
    try devices.git("rm", "-q", "notes", at: b.directory.root)
    try write(Array("1\n".utf8), to: "notes/2026.md", b, devices)
    try a.sync()
    #expect(try b.sync().pulls.last?.merge.replaced == ["notes"])
    try a.sync()
    #expect(try a.headTree() == b.headTree())
  }

  @Test("merges two text files that replaced a submodule")
  func filesForSubmodule() throws {
    let devices = try Devices()
    let a = try devices.start("a")
    let writer = LooseObjectWriter(a.repository)
    var base = try a.repository.commit(try #require(try a.repository.head()))
    // A commit of another repository.
    let submodule = TreeNode(.submodule, ObjectID(hashing: .commit, []))
    base.tree = try a.repository.edit(base.tree, [("library", submodule)], writer: writer)
    let commit = try writer.write(base)
    let sides = try ["ours\n", "theirs\n"].map {
      try a.commitByGit(["library": Array($0.utf8)], on: commit)
    }
    let tree = try a.mergeTrees(sides[0], sides[1], writer: writer).tree
    #expect(try a.mergeTrees(sides[1], sides[0], writer: writer).tree == tree)
    #expect(try a.repository.file(at: "library", in: tree)?.count == "ours\ntheirs\n".utf8.count)
  }
}

private func place(_ number: Double) -> Coordinate {
  Coordinate(latitude: number, longitude: -number)!
}
