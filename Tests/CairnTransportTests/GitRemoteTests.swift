import CairnFiles
import CairnGit
import CairnTransport
import SystemPackage
import TestSupport
import Testing

@testable import CairnSync

@Suite("Git remotes")
struct GitRemoteTests {
  @Test("finds an installed server of every kind")
  func installed() {
    #expect(SSHServer.isInstalled, SSHServer.missing)
    #expect(WebServer.isInstalled, WebServer.missing)
    #expect(Gitolite.isInstalled, Gitolite.missing)
    #expect(ApacheGit.isInstalled, ApacheGit.missing)
  }

  @Test("lists refs, and none of an empty repository", arguments: RemoteKind.available)
  func references(kind: RemoteKind) throws {
    let served = try Served(kind)
    let remote = try served.remote()
    defer { remote.close() }
    #expect(try remote.references(for: .fetching) == RemoteReferences())
    #expect(try remote.references(for: .pushing).tips.isEmpty)

    _ = try served.box.newRepository("work")
    let commit = try served.box.commit(["a": "1"], in: "work")
    try served.box.git("push", "-q", "../" + served.name, "main", "main:side", in: "work")
    let references = try remote.references(for: .fetching)
    #expect(references.tips == ["refs/heads/main": commit, "refs/heads/side": commit])
    #expect(references.headBranch == "refs/heads/main")
    #expect(try remote.references(for: .pushing).tips == references.tips)
  }

  @Test(
    "fetches everything that a tip reaches, then only what is new", arguments: RemoteKind.available)
  func fetch(kind: RemoteKind) throws {
    let served = try Served(kind)
    let box = served.box
    _ = try box.newRepository("work")
    let here = try box.newRepository("here")
    let remote = try served.remote()
    var known: [ObjectID] = []
    for round in 0..<4 {
      let files = Dictionary(
        uniqueKeysWithValues: (0..<(round == 0 ? 500 : 3)).map {
          ("d\($0 % 7)/\($0)-\(round)", "\($0) \(round)\n")
        })
      let commit = try box.commit(files, in: "work")
      try box.git("push", "-q", "../" + served.name, "main", in: "work")
      let tip = try #require(try remote.references(for: .fetching)["refs/heads/main"])
      #expect(tip == commit)
      try remote.fetch([tip], into: here, known: known, progress: { _, _, _ in })
      try box.git("update-ref", "refs/heads/main", "\(tip)", in: "here")
      try box.git("fsck", "--strict", "--no-dangling", in: "here")
      known = [tip]
    }
    // Nothing new, nothing done.
    let before = try FileSystem().list(here.commonDirectory.appending("objects/pack"))
    _ = try remote.references(for: .fetching)
    try remote.fetch(known, into: here, known: known, progress: { _, _, _ in })
    #expect(try FileSystem().list(here.commonDirectory.appending("objects/pack")) == before)
    remote.close()
    #expect(
      try FileSystem().list(here.commonDirectory)?.contains { $0.hasPrefix("cairn-") } == false)
  }

  @Test(
    "creates a branch and moves it, with all objects that it needs",
    arguments: RemoteKind.available)
  func push(kind: RemoteKind) throws {
    let served = try Served(kind)
    let box = served.box
    let work = try box.newRepository("work")
    let remote = try served.remote()
    var old: ObjectID?
    for round in 0..<3 {
      let files = Dictionary(
        uniqueKeysWithValues: (0..<(round == 1 ? 2000 : 3)).map { ("d/\($0)-\(round)", "\($0)\n") })
      let commit = try box.commit(files, in: "work")
      try work.refreshObjects()
      #expect(try remote.references(for: .pushing)["refs/heads/main"] == old)
      let new = try work.newObjects(from: commit, excluding: old.map { [$0] } ?? [])
      let outcome = try remote.push(
        ReferenceUpdate("refs/heads/main", from: old, to: commit), with: new, from: work,
        progress: { _, _, _ in })
      #expect(outcome == PushOutcome(.moved))
      #expect(try box.git("rev-parse", "main", in: served.name).word == "\(commit)")
      try box.git("fsck", "--strict", "--no-dangling", in: served.name)
      old = commit
    }
    remote.close()
  }

  @Test("moves nothing when another push was faster", arguments: RemoteKind.available)
  func race(kind: RemoteKind) throws {
    let served = try Served(kind)
    let box = served.box
    let work = try box.newRepository("work")
    let first = try box.commit(["a": "1"], in: "work")
    try box.git("push", "-q", "../" + served.name, "main", in: "work")
    let remote = try served.remote()
    _ = try remote.references(for: .pushing)

    let ours = try box.commit(["a": "2"], in: "work")
    try box.git("checkout", "-q", "-b", "theirs", "\(first)", in: "work")
    let theirs = try box.commit(["a": "3"], in: "work")
    try box.git("push", "-q", "../" + served.name, "theirs:main", in: "work")
    try work.refreshObjects()
    for old in [first, nil] {
      let outcome = try remote.push(
        ReferenceUpdate("refs/heads/main", from: old, to: ours),
        with: work.newObjects(from: ours, excluding: []), from: work, progress: { _, _, _ in })
      #expect(outcome.result == .raced)
      #expect(try box.git("rev-parse", "main", in: served.name).word == "\(theirs)")
    }
    remote.close()
  }

  @Test(
    "leaves nothing behind when a fetched commit does not exist", arguments: RemoteKind.available)
  func missing(kind: RemoteKind) throws {
    let served = try Served(kind)
    let box = served.box
    _ = try box.newRepository("work")
    let commit = try box.commit(["a": "1"], in: "work")
    try box.git("push", "-q", "../" + served.name, "main", in: "work")
    let here = try box.newRepository("here")
    let other = try #require(ObjectID(String(repeating: "12", count: 20)))
    let remote = try served.remote()
    #expect(throws: (any Error).self) {
      try remote.fetch([other], into: here, known: [commit], progress: { _, _, _ in })
    }
    #expect(!here.contains(other))
    #expect(
      try FileSystem().list(here.commonDirectory)?.contains { $0.hasPrefix("cairn-") } == false)
    // The remote can be used again.
    #expect(try remote.references(for: .fetching)["refs/heads/main"] == commit)
    remote.close()
  }
}
