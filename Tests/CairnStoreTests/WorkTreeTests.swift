import CairnDocument
import CairnFiles
import Foundation
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import CairnStore

@Suite("Work tree")
struct WorkTreeTests {
  private let sandbox: Sandbox
  private let dataset: DatasetDirectory
  private let files = FileSystem()

  init() throws {
    sandbox = try Sandbox()
    dataset = try sandbox.dataset()
  }

  static let unsafe = [
    "", "/", "a//b", "/etc/passwd", "a/", "..", "../x", "a/../../x", "a/..", ".", "./a", "a/./b",
    ".git", ".git/config", ".GIT/config", ".Git", "a/.git/hooks/x", ".git.", ".git ", ".git. .",
    ".git::$INDEX_ALLOCATION/config", "git~1", "GIT~1/config", "a\\b", "..\\x", "a/b\\..\\c",
    ".g\u{200C}it/config", ".git\u{200C}", "\u{FEFF}.git", "a\0b", "a/\u{301}b", ".git/\u{301}x",
  ]

  @Test("rejects paths that leave the work tree or reach into .git", arguments: unsafe)
  func unsafePaths(path: String) throws {
    let before = try sandbox.snapshot("dataset")
    let refusal = StoreError.unsafePath(path)
    #expect(throws: refusal) { try dataset.location(path) }
    #expect(throws: refusal) { try dataset.write([1], to: path) }
    #expect(throws: refusal) { try dataset.writeSymlink(to: "x", at: path) }
    #expect(throws: refusal) { try dataset.read(path) }
    #expect(throws: refusal) { try dataset.remove(path) }
    #expect(try sandbox.snapshot("dataset") == before)
  }

  @Test(
    "accepts names that only look dangerous",
    arguments: [
      "a", ".gitattributes", ".gitmodules", "a.git", "git", "...", "é/ü", "a b/c", "~", "git~2",
    ])
  func safePaths(path: String) throws {
    try dataset.write(Array("x".utf8), to: path)
    #expect(try dataset.read(path) == Array("x".utf8))
    #expect(try files.read(dataset.root.pushing(FilePath(path))) == Array("x".utf8))
    try dataset.remove(path)
    #expect(try dataset.read(path) == nil)
  }

  @Test("never follows a symbolic link, wherever it leads", arguments: ["../out", ".", "missing"])
  func symlinks(target: String) throws {
    try sandbox.write("theirs".utf8, to: "out/file")
    try files.createSymlink(dataset.root.appending("link"), to: target)
    let refusal = StoreError.symbolicLink(dataset.root.appending("link"))
    for path in ["link/file", "link/a/b"] {
      #expect(throws: refusal) { try dataset.write([1], to: path) }
      #expect(throws: refusal) { try dataset.read(path) }
      #expect(throws: refusal) { try dataset.remove(path) }
    }
    #expect(try sandbox.snapshot("out") == ["file": Array("theirs".utf8)])
    // The link itself can be replaced: its target stays unchanged.
    try files.createSymlink(dataset.root.appending("file"), to: "../out/file")
    #expect(try dataset.read("file") == nil)
    try dataset.write(Array("ours".utf8), to: "file")
    #expect(try dataset.read("file") == Array("ours".utf8))
    #expect(try sandbox.snapshot("out") == ["file": Array("theirs".utf8)])
  }

  @Test("writes and removes a symbolic link without following it")
  func writeSymlink() throws {
    try dataset.write([1], to: "a/b")
    try dataset.writeSymlink(to: "../../secret", at: "a/b")
    #expect(try sandbox.snapshot("dataset")["a/b"] == Array("-> ../../secret".utf8))
    #expect(try dataset.read("a/b") == nil)
    try dataset.remove("a/b")
    #expect(try sandbox.snapshot("dataset").isEmpty)
  }

  @Test("keeps the old file, or none, when any step of a write fails", arguments: [true, false])
  func atomicWrite(isNew: Bool) throws {
    let (old, new) = (Array("old".utf8), Array("new and longer".utf8))
    try withFaultAtEachStep { environment, step in
      try files.removeTree(dataset.root.appending("a"))
      if !isNew { try dataset.write(old, to: "a/b/c") }
      try sandbox.dataset(environment: environment).write(new, to: "a/b/c")
    } check: { (step: Int) throws in
      #expect(try dataset.read("a/b/c") == (isNew ? nil : old), "step \(step)")
      #expect(try sandbox.snapshot("dataset").count == (isNew ? 0 : 1), "step \(step)")
    }
    try dataset.write(new, to: "a/b/c", executable: true)
    #expect(try dataset.read("a/b/c") == new)
    let location = try dataset.location("a/b/c").string
    #expect(FileManager.default.isExecutableFile(atPath: location))
  }

  @Test("places new files in new and in existing directories, and leaves what is in the way")
  func placeNew() throws {
    for path in ["a/b/c", "d", "e/f/g"] { try dataset.write(Array("old".utf8), to: path) }
    try sandbox.write("theirs".utf8, to: "out/file")
    try files.createSymlink(dataset.root.appending("link"), to: "../out")
    try files.createSymlink(dataset.root.appending("lost"), to: "nowhere")
    let before = try sandbox.snapshot("dataset")
    let bytes = Array("new".utf8)
    do {
      let placer = try dataset.filePlacer()
      for path in ["a/b/c", "a/b", "d", "d/x", "link/x", "link", "lost", "lost/x", "e/f/g/h"] {
        guard case .refused = try placer.place(bytes, at: path) else {
          Issue.record("\(path) was placed")
          continue
        }
      }
      #expect(try sandbox.snapshot("dataset") == before)
      #expect(try sandbox.snapshot("out") == ["file": Array("theirs".utf8)])
      for path in ["x", "a/b/d", "a/b/e", "e/z", "n/o/p", "n/o/q", "n/r", "y"] {
        guard case .placed(let status) = try placer.place(bytes, at: path) else {
          Issue.record("\(path) was refused")
          continue
        }
        #expect(try status == files.status(dataset.location(path)), "\(path)")
        #expect(try dataset.read(path) == bytes, "\(path)")
      }
    }
    #expect(try sandbox.snapshot("dataset").count == before.count + 8)
    #expect(try files.list(dataset.root.pushing(".git/cairn/tmp")) == [])
  }

  @Test("leaves a file that appears while a new one is placed")
  func placeOverNew() throws {
    var environment = Environment.test()
    environment.files = FileSystem { (step, path) throws(FileError) in
      guard step == .rename, path.lastComponent?.string == "b" else { return }
      try FileSystem().create(path, Array("theirs".utf8))
    }
    let placer = try sandbox.dataset(environment: environment).filePlacer()
    for path in ["new/a", "new/b"] {
      let outcome = try placer.place(Array("new".utf8), at: path)
      let isPlaced = if case .placed = outcome { true } else { false }
      #expect(isPlaced == (path == "new/a"))
    }
    #expect(try dataset.read("new/a") == Array("new".utf8))
    #expect(try dataset.read("new/b") == Array("theirs".utf8))
  }

  @Test("places a new file whole or not at all when any step fails")
  func placeAtomically() throws {
    let paths = ["a/b/c", "a/b/d", "a/e"]
    try withFaultAtEachStep { environment, step in
      try files.removeTree(dataset.root.appending("a"))
      let placer = try sandbox.dataset(environment: environment).filePlacer()
      for path in paths { _ = try placer.place(Array(path.utf8), at: path) }
    } check: { (step: Int) throws in
      for path in paths {
        let bytes = try dataset.read(path)
        #expect(bytes == nil || bytes == Array(path.utf8), "step \(step)")
      }
      #expect(try dataset.read("a/e") == nil, "step \(step)")
      #expect(try files.list(dataset.root.pushing(".git/cairn/tmp")) == [], "step \(step)")
    }
  }

  @Test("removes the directories that become empty with a file, and no others")
  func emptyDirectories() throws {
    for path in ["a/b/c/d", "a/e"] { try dataset.write([1], to: path) }
    try dataset.remove("a/b/c/d")
    #expect(try files.list(dataset.root.appending("a")) == ["e"])
    try dataset.remove("a/e")
    try dataset.remove("a/e")
    try dataset.remove("x/y/z")
    #expect(try files.list(dataset.root) == [".git"])
    #expect(files.directoryExists(dataset.root))
  }

  @Test("does not read directories, and rejects a document that is too large")
  func notFiles() throws {
    try files.createDirectory(dataset.root.appending("directory"))
    #expect(try dataset.read("directory") == nil)
    #expect(try dataset.read("directory/missing") == nil)
    let path = DocumentPath.pin(try #require(PinID("0123456789abcdef0123"))).description
    try dataset.write([UInt8](repeating: 0x20, count: DocumentLimit.size + 1), to: path)
    #expect(throws: StoreError.self) { try dataset.read(path) }
    #expect(throws: FileError.self) { try files.read(dataset.root.appending("directory")) }
  }

  @Test("reports an invalid document with its path and line")
  func invalidDocument() throws {
    let path = DocumentPath.manifest
    #expect(try dataset.document(at: path) == nil)
    try dataset.write(Array("{\n  nonsense".utf8), to: path.description)
    let error = #expect(throws: StoreError.self) { try dataset.document(at: path) }
    guard case .invalidDocument("cairn.json", let reason) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(reason.kind == .syntax && reason.line == 2)
  }
}

@Suite("Images in the work tree")
struct PlacedImageTests {
  @Test("replaces a pointer with the read-only image from the blob store")
  func place() throws {
    let sandbox = try Sandbox()
    let dataset = try sandbox.dataset()
    let files = FileSystem()
    try sandbox.write("image".utf8, to: "source")
    let staged = try dataset.blobs.stage(sandbox.path("source"))
    let path = DocumentPath.image(staged.id, .jpeg).description
    #expect(!(try dataset.placeImage(staged.id, at: path)))
    #expect(try sandbox.snapshot("dataset/images").isEmpty)
    try dataset.blobs.install(staged)
    try dataset.write(Pointer(id: staged.id, size: 5).bytes, to: path)
    for _ in 0..<2 {
      #expect(try dataset.placeImage(staged.id, at: path))
      #expect(try files.read(dataset.location(path)) == Array("image".utf8))
      #expect(try files.list(dataset.temporaryDirectory)?.isEmpty == true)
    }
    let (image, blob) = (
      try #require(try files.status(dataset.location(path))),
      try #require(try files.status(dataset.blobs.path(of: staged.id)))
    )
    if image.inode == blob.inode { #expect(image.links == 2) }
    let mode = try FileManager.default.attributesOfItem(atPath: dataset.location(path).string)
    #expect(mode[.posixPermissions] as? Int == 0o444)
    // Removing it from the work tree keeps the blob.
    try dataset.remove(path)
    #expect(try dataset.blobs.isIntact(staged.id) == true)
  }

  @Test("places an image with one hard link, and no temporary file, on a disk without reflinks")
  func cost() throws {
    let steps = Mutex<[FileSystem.Step]>([])
    let files = FileSystem { step, _ in steps.withLock { $0.append(step) } }
    let sandbox = try Sandbox()
    let dataset = try sandbox.dataset(environment: .test(files: files))
    var pieces = [Array("image".utf8)]
    let staged = try dataset.blobs.stage(pieces: { pieces.popLast() })
    try dataset.blobs.install(staged)
    // The first one finds out whether the disk has reflinks.
    #expect(try dataset.placeImage(staged.id, at: "images/0/image.png"))
    let status = try #require(try files.status(dataset.location("images/0/image.png")))
    steps.withLock { $0 = [] }
    #expect(try dataset.placeImage(staged.id, at: "images/1/image.png"))
    #expect(try dataset.read("images/1/image.png") == Array("image".utf8))
    // A link, and its directory.
    if status.links > 1 { #expect(steps.withLock { $0 } == [.link, .create]) }
  }

  @Test("links images in new and in existing directories, and leaves what is in the way")
  func link() throws {
    let sandbox = try Sandbox()
    let dataset = try sandbox.dataset()
    let files = FileSystem()
    var pieces = [Array("image".utf8)]
    let staged = try dataset.blobs.stage(pieces: { pieces.popLast() })
    try dataset.blobs.install(staged)
    let blob = dataset.blobs.path(of: staged.id)
    try dataset.placeImage(staged.id, at: "a/first.png")
    try dataset.write(Array("theirs".utf8), to: "b/image.png")
    try files.createSymlink(dataset.root.appending("link"), to: "a")
    let before = try sandbox.snapshot("dataset")
    let placer = try dataset.filePlacer()
    for path in ["a/first.png", "a/first.png/x", "b/image.png", "b", "link/x", "link"] {
      guard case .refused = try placer.link(blob, at: path) else {
        Issue.record("\(path) was linked")
        continue
      }
    }
    let other = PhotoID(digest: [UInt8](repeating: 7, count: 32))
    guard case .refused = try placer.link(dataset.blobs.path(of: other), at: "c") else {
      Issue.record("a missing image was linked")
      return
    }
    #expect(try sandbox.snapshot("dataset") == before)
    for path in ["a/second.png", "c/d/image.png", "c/image.png", "image.png"] {
      let outcome = try placer.link(blob, at: path)
      guard try dataset.blobs.isOnDiskWithoutReflinks() else { continue }
      guard case .placed(let status) = outcome else {
        Issue.record("\(path) was refused")
        continue
      }
      #expect(try status == files.status(dataset.location(path)), "\(path)")
      #expect(try status?.inode == files.status(blob)?.inode, "\(path)")
    }
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: blob.string)
    guard case .refused = try placer.link(blob, at: "executable") else {
      Issue.record("an executable image was linked")
      return
    }
  }

  @Test("leaves the pointer or the image when any step fails")
  func faults() throws {
    let sandbox = try Sandbox()
    let dataset = try sandbox.dataset()
    try sandbox.write("image".utf8, to: "source")
    let staged = try dataset.blobs.stage(sandbox.path("source"))
    try dataset.blobs.install(staged)
    let path = DocumentPath.image(staged.id, .png).description
    let pointer = Pointer(id: staged.id, size: 5).bytes
    try withFaultAtEachStep { environment, _ in
      try dataset.write(pointer, to: path)
      try sandbox.dataset(environment: environment).placeImage(staged.id, at: path)
    } check: { (step: Int) throws in
      let bytes = try dataset.read(path)
      #expect(bytes == pointer || bytes == Array("image".utf8), "step \(step)")
    }
  }

  @Test(
    "copies an image and takes a lock when the disk refuses links and permissions",
    arguments: [
      Errno.notPermitted, .permissionDenied, .noFunction, .notSupported, .tooManyLinks,
      .improperLink,
    ])
  func withoutLinks(code: Errno) throws {
    let files = FileSystem { (step, path) throws(FileError) in
      let isRefused = step == .link || step == .permissions && code != .permissionDenied
      let isKnown = step == .link || ![.tooManyLinks, .improperLink].contains(code)
      if isRefused, isKnown { throw FileError("write", path, code) }
    }
    let sandbox = try Sandbox()
    let dataset = try sandbox.dataset(environment: .test(files: files))
    var pieces = [Array("hello".utf8)]
    let staged = try dataset.blobs.stage(pieces: { pieces.popLast() })
    try dataset.blobs.install(staged)
    #expect(try dataset.placeImage(staged.id, at: "image.png"))
    #expect(try dataset.read("image.png") == Array("hello".utf8))
    #expect(try files.list(dataset.temporaryDirectory) == [])

    let path = sandbox.path("some.lock")
    func take() throws -> GitLockFile? {
      try GitLockFile.acquire(path, unnamed: sandbox.path("unnamed"), files: files)
    }
    var lock = try take()
    #expect(lock != nil)
    #expect(try take() == nil)
    lock = nil
    #expect(try files.exists(path) == false)
    #expect(try take() != nil)
  }
}
