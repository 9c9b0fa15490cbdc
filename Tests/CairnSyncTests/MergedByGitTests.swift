import CairnDocument
import CairnGit
import CairnStore
import SystemPackage
import TestSupport
import Testing

@testable import CairnSync

@Suite("Merges that git makes without cairn's merge driver")
struct MergedByGitTests {
  private let devices: Devices
  private let a: Replica
  private let photo = photoDocument(7)
  private var image: DocumentPath { .image(photo.id, .png) }

  /// A with a photo.
  init() throws {
    devices = try Devices()
    a = try devices.start("a")
    try a.directory.write(Pointer(id: photo.id, size: 1).bytes, to: image.description)
    try a.write { [photo] _ in [.photo(photo)] }
    try a.commit()
    try devices.git("push", "-q", "--no-verify", "origin", "main", at: a.directory.root)
  }

  @Test("keeps the edits before a removal when `git merge -s ours` restores the document")
  func editBeforeRemoval() throws {
    let path = DocumentPath.photo(photo.id).description
    var hidden = photo
    hidden.removed = Register(
      true, Stamp(milliseconds: 1_900_000_000_000, counter: 0, replica: ReplicaID(rawValue: 1)))
    let head = try #require(try a.repository.head())
    let removed = try a.commitByGit([path: hidden.canonicalBytes], on: head)
    let pruned = try a.commitByGit([path: nil], on: removed)
    let other = try a.commitByGit(["notes.txt": [10]], on: head)
    let merged = try a.commitByGit([:], on: other, pruned)
    // Whether the removal is among the commits that are read or not.
    for known in [pruned, head] {
      let fixed = try a.commitWithFixups(merged, excluding: [known]).commit
      let bytes = try a.repository.file(at: path, in: a.repository.commit(fixed).tree)
      #expect(try bytes.map { try Photo(bytes: $0).removed.value } == true)
    }
  }

  @Test("an edit that `git commit --amend` adds to a merge counts, and changes no other field")
  func editInMerge() throws {
    let path = DocumentPath.photo(photo.id).description
    let base = try #require(try a.repository.head())
    func edited(_ title: String, _ caption: String) -> [UInt8] {
      var photo = self.photo
      photo.title = Register(title, photo.title.stamp)
      photo.caption = Register(caption, photo.caption.stamp)
      return photo.canonicalBytes
    }
    let ours = try a.commitByGit([path: edited("", "by hand")], on: base)
    let theirs = try a.commitByGit(["b.txt": [10]], on: base)
    let merged = try a.commitByGit(
      [path: edited("amended", "by hand")], on: ours, theirs, at: 1_900_000_500)
    let fixed = try a.commitWithFixups(merged, excluding: [base]).commit
    let bytes = try #require(
      try a.repository.file(at: path, in: a.repository.tree(ofCommit: fixed)))
    let result = try Photo(bytes: bytes)
    #expect(result.title.value == "amended" && result.caption.value == "by hand")
    #expect(result.title.stamp.milliseconds == 1_900_000_500_000)
    #expect(result.caption.stamp.milliseconds == 1_900_000_000_000)
  }

  /// What else happens to another document of the kind when one side adds a document.
  enum OtherChange: CaseIterable {
    case nothing, removal
    /// The other side changes what this side removes, so that git may take the addition for it.
    case removalOfChanged
    case removalByOther
  }

  @Test(
    "an edit in a merge of a document that one side added counts, unless git may have renamed it",
    arguments: OtherChange.allCases)
  func editOfAdditionInMerge(change: OtherChange) throws {
    let base = try #require(try a.repository.head())
    var added = photoDocument(8)
    let path = DocumentPath.photo(added.id).description
    let other = DocumentPath.photo(photo.id).description
    var changed = photo
    changed.caption = Register("by hand", photo.caption.stamp)
    let (original, edited): ([UInt8]?, [UInt8]?) = (
      photo.canonicalBytes, changed.canonicalBytes
    )
    let (mine, theirOwn) =
      switch change {
      case .nothing: (original, original)
      case .removal: (nil, original)
      case .removalOfChanged: (nil, edited)
      case .removalByOther: (edited, nil)
      }
    let ours = try a.commitByGit([path: added.canonicalBytes, other: mine], on: base)
    let theirs = try a.commitByGit(["b.txt": [10], other: theirOwn], on: base)
    added.title = Register("amended", added.title.stamp)
    let merged = try a.commitByGit(
      [path: added.canonicalBytes], on: ours, theirs, at: 1_900_000_500)
    let fixed = try a.commitWithFixups(merged, excluding: [base]).commit
    let bytes = try #require(
      try a.repository.file(at: path, in: a.repository.tree(ofCommit: fixed)))
    let isEdit = change != .removalOfChanged
    #expect(try Photo(bytes: bytes).title.value == (isEdit ? "amended" : ""))
  }

  @Test(
    "a document that was removed, and that a merge restores with another value, has this value",
    arguments: [true, false])
  func restoredInMerge(isRemovedByBoth: Bool) throws {
    let path = DocumentPath.photo(photo.id).description
    let base = try #require(try a.repository.head())
    func titled(_ title: String) -> [UInt8] {
      var photo = self.photo
      photo.title = Register(title, photo.title.stamp)
      return photo.canonicalBytes
    }
    let edited = try a.commitByGit([path: titled("by hand")], on: base)
    let ours = try a.commitByGit([path: nil], on: edited)
    let theirs = try a.commitByGit(
      isRemovedByBoth ? [path: nil, "b.txt": [10]] : ["b.txt": [10]], on: base)
    // Of two values with the same stamp, the greater one would count.
    for title in ["amended", "zzz"] {
      let merged = try a.commitByGit([path: titled(title)], on: ours, theirs)
      for known in [base, edited, ours] {
        let fixed = try a.commitWithFixups(merged, excluding: [known]).commit
        let bytes = try #require(
          try a.repository.file(at: path, in: a.repository.tree(ofCommit: fixed)))
        #expect(try Photo(bytes: bytes).title.value == title)
      }
    }
  }

  @Test("keeps the facts that a revert restored while cairn merged what it reverts")
  func revertedFacts() throws {
    let path = DocumentPath.photo(photo.id).description
    let base = try #require(try a.repository.head())
    let wrong = Photo(
      id: photo.id, image: ImageFacts(format: .png, width: 1, height: 1, bytes: 999), pin: nil,
      source: "x.png")
    var edited = photo
    edited.title = Register("by hand", photo.title.stamp)
    let changed = try a.commitByGit([path: wrong.canonicalBytes], on: base)
    let reverted = try a.commitByGit([path: photo.canonicalBytes], on: changed)
    // The newest commit that cairn has checked does not include the revert.
    let other = try a.commitByGit(["notes.txt": [10]], on: base)
    let writer = LooseObjectWriter(a.repository)
    let tree = try a.mergeTrees(other, changed, writer: writer).tree
    let own = try writer.write(a.mergeCommit(of: other, changed, tree: tree))
    let merged = try a.commitByGit([:], on: reverted, own)
    let swapped = Pointer(id: photoID(2), size: 2).bytes
    let tip = try a.commitByGit(
      [path: edited.canonicalBytes, image.description: swapped], on: merged)
    let fixed = try a.repository.commit(a.commitWithFixups(tip, excluding: [merged]).commit).tree
    let bytes = try #require(try a.repository.file(at: path, in: fixed))
    let result = try Photo(bytes: bytes)
    #expect(result.title.value == "by hand" && result.image == photo.image)
    let pointer = try a.repository.file(at: image.description, in: fixed)
    #expect(pointer == Pointer(id: photo.id, size: 1).bytes)
  }

  @Test("restores the image of a photo that git restores when it was removed much earlier")
  func imageRemovedEarlier() throws {
    let path = DocumentPath.photo(photo.id).description
    let image = image.description
    let head = try #require(try a.repository.head())
    let removed = try a.commitByGit([path: nil, image: nil], on: head)
    let other = try a.commitByGit(["notes.txt": [10]], on: head)
    let merged = try a.commitByGit([image: nil], on: other, removed)
    for known in [removed, head] {
      let fixed = try a.commitWithFixups(merged, excluding: [known]).commit
      let tree = try a.repository.commit(fixed).tree
      let pointer = try a.repository.file(at: image, in: tree)
      #expect(pointer == Pointer(id: photo.id, size: 1).bytes)
    }
  }

  @Test(
    "restores the pointer of an image when a merge or rebase stopped at it",
    arguments: [true, false])
  func imageConflict(isMerge: Bool) throws {
    let b = try devices.clone("b")
    for (device, seed) in [(a, 1), (b, 2)] {
      try device.directory.write(
        Pointer(id: photoID(seed), size: seed).bytes, to: image.description)
      try devices.git("commit", "-qam", "swapped", at: device.directory.root)
    }
    try devices.git("push", "-q", "--no-verify", "origin", "main", at: a.directory.root)
    try devices.git(
      "pull", "-q", "--no-edit", isMerge ? "--no-rebase" : "--rebase", "origin", "main",
      at: b.directory.root, status: 1)
    do {
      try b.commit()
      #expect(isMerge)
    } catch SyncError.unfinished(let operation, let resolved) {
      #expect(!isMerge && operation.files.isEmpty)
      #expect(resolved == [image.description])
      try devices.git("-c", "core.editor=true", "rebase", "--continue", at: b.directory.root)
      try b.commit()
    }
    let pointer = try b.repository.file(at: image.description, in: b.headTree())
    #expect(pointer == Pointer(id: photo.id, size: 1).bytes)
    #expect(try devices.git("status", "--porcelain", at: b.directory.root) == "")
  }
}
