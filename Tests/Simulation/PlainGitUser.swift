import CairnDocument
import CairnFiles
import CairnGit
import CairnStore
import SystemPackage

/// A person with git but without cairn, who edits documents as text and merges them line by line.
final class PlainGitUser {
  let repository: Repository
  let clock: SkewedClock
  let root: FilePath
  /// The document that this person edited last.
  private var latest: String?
  /// The photo whose image this person removed last, perhaps to remove the photo as well.
  private var withoutImage: PhotoID?
  /// Decides what this person adds to merges; nil for nothing.
  var amendments: SeededRandom?
  private static let branch = "refs/heads/main"

  init(
    _ name: String, in root: FilePath, clock: SkewedClock, amendments: SeededRandom? = nil
  ) throws {
    self.root = root.appending(name)
    self.clock = clock
    self.amendments = amendments
    repository = try Repository.create(self.root, bare: true, files: FileSystem())
  }

  /// Usually fetches, makes one or two edits, and perhaps merges and pushes.
  func work(
    with remote: Repository, pushes: Bool = true, _ random: inout SeededRandom,
    _ ledger: inout Ledger
  ) throws -> String {
    // Without fetching, an edit may follow one that others have stamped since.
    if try repository.head() == nil || random.chance(60) { try fetch(from: remote) }
    guard var head = try repository.head() else { return "found an empty remote" }
    var summary: [String] = []
    for _ in 0..<(1 + random.below(2)) {
      let (what, commit) = try edit(head, &random, &ledger)
      summary.append(what)
      head = commit
    }
    try move(to: head)
    if pushes, random.chance(75) { summary.append(try push(to: remote, &random, &ledger)) }
    return summary.joined(separator: ", ")
  }

  /// Merges the remote's commits and pushes.
  ///
  /// - Parameter dropsManifest: Whether a merge is committed without the manifest.
  func push(
    to remote: Repository, strategy: String? = nil, dropsManifest: Bool = false,
    _ random: inout SeededRandom, _ ledger: inout Ledger
  ) throws -> String {
    guard var head = try repository.head() else { return "nothing" }
    var summary = "pushed"
    if let theirs = try remote.reference(PlainGitUser.branch) {
      try take(theirs, from: remote)
      if try repository.isAncestor(head, of: theirs) {
        head = theirs
      } else if try !repository.isAncestor(theirs, of: head) {
        let strategy =
          strategy ?? random.pick(["--ours", "--theirs", "--union", "", "-s ours"])
        head = try perhapsAmend(
          merge(head, theirs, strategy: strategy, dropsManifest: dropsManifest, &random, &ledger),
          &ledger)
        summary = "merged lines \(strategy) and pushed"
      }
      try move(to: head)
    }
    let old = try remote.reference(PlainGitUser.branch)
    if old == head { return "up to date" }
    try repository.copy(
      try repository.newObjects(from: head, excluding: old.map { [$0] } ?? []), to: remote)
    try remote.refreshObjects()
    try remote.moveReference(PlainGitUser.branch, from: old, to: head, log: (signature, "push"))
    return summary
  }

  /// Takes the remote's commits, unless this person has others.
  func fetch(from remote: Repository) throws {
    guard let theirs = try remote.reference(PlainGitUser.branch) else { return }
    try take(theirs, from: remote)
    let head = try repository.head()
    if let head, try !repository.isAncestor(head, of: theirs) { return }
    try move(to: theirs)
  }

  private func take(_ commit: ObjectID, from remote: Repository) throws {
    let known = try repository.head().map { [$0] } ?? []
    try remote.copy(try remote.newObjects(from: commit, excluding: known), to: repository)
    try repository.refreshObjects()
  }

  private func move(to commit: ObjectID) throws {
    let old = try repository.reference(PlainGitUser.branch)
    if old == commit { return }
    try repository.moveReference(
      PlainGitUser.branch, from: old, to: commit, log: (signature, "work"))
  }

  var signature: Signature {
    Signature(name: "Gil", email: "gil@example.org", time: clock.now / 1000)
  }

  // MARK: Commits

  /// Returns this person's last commit.
  func head() throws -> ObjectID? { try repository.head() }

  /// Removes one file, without looking at what others have done since.
  func remove(_ path: String, _ ledger: inout Ledger) throws {
    guard let head = try repository.head() else { return }
    try move(to: try record([path: nil], on: head, &ledger))
  }

  /// Returns the paths of all files.
  func files() throws -> [String] {
    guard let head = try repository.head() else { return [] }
    return Array(try repository.contents(of: repository.commit(head).tree).keys)
  }

  /// Replaces the pointer of an image, as after rotating the image in place.
  func replacePointer(
    at path: String, _ random: inout SeededRandom, _ ledger: inout Ledger
  ) throws {
    guard let head = try repository.head() else { return }
    let other = PlainGitUser.otherPointer(at: path, &random)
    try move(to: try record([path: other.bytes], on: head, &ledger))
  }

  /// Returns a pointer to another image, or to the same one with any size.
  private static func otherPointer(at path: String, _ random: inout SeededRandom) -> Pointer {
    var id = PhotoID(digest: (0..<32).map { _ in UInt8(random.below(256)) })
    if random.chance(30), let own = DocumentPath(path)?.blob { id = own }
    return Pointer(id: id, size: Simulation.imageSize + random.below(2))
  }

  /// Changes a value of a document without changing its stamp.
  func reword(_ path: String, _ random: inout SeededRandom, _ ledger: inout Ledger) throws {
    guard let head = try repository.head(),
      let old = try repository.file(at: path, in: repository.commit(head).tree),
      let json = try? JSON(bytes: old)
    else { return }
    let new = PlainGitUser.reworded(json, &random).canonicalBytes
    if new != old { try move(to: try record([path: new], on: head, &ledger)) }
  }

  /// Puts a directory in place of a file, even of one that this person no longer has.
  func putDirectory(at path: String, _ ledger: inout Ledger) throws {
    guard let head = try repository.head() else { return }
    try move(to: try record([path: nil, "\(path)/x": [10]], on: head, &ledger))
  }

  /// Adds, changes or removes a file that is not one of the dataset's.
  func editOther(
    _ path: String, _ random: inout SeededRandom, _ ledger: inout Ledger
  ) throws {
    guard let head = try repository.head() else { return }
    let new = random.chance(70) ? [UInt8(random.below(100)), 10] : nil
    try move(to: try record([path: new], on: head, &ledger))
  }

  /// Merges another commit line by line, as `git merge` does.
  func merge(
    _ theirs: ObjectID, from other: Repository, _ random: inout SeededRandom,
    _ ledger: inout Ledger
  ) throws {
    guard let head = try repository.head() else { return }
    try take(theirs, from: other)
    if try repository.isAncestor(theirs, of: head) { return }
    try move(
      to: perhapsAmend(merge(head, theirs, strategy: "", &random, &ledger), &ledger))
  }

  private func edit(
    _ head: ObjectID, _ random: inout SeededRandom, _ ledger: inout Ledger
  ) throws -> (String, ObjectID) {
    let commit = try repository.commit(head)
    let files = try repository.contents(of: commit.tree).filter {
      DocumentPath($0.key)?.kind != nil && $0.key != "cairn.json"
    }
    guard !files.isEmpty else { return ("found nothing", head) }
    if let photo = withoutImage.map({ DocumentPath.photo($0).description }), files[photo] != nil,
      random.chance(40)
    {
      withoutImage = nil
      return ("removed \(photo), too", try record([photo: nil], on: head, &ledger))
    }
    // Often the same document again, whose last edit has no stamp yet.
    var path = random.pick(files.keys.sorted())
    if let latest, files[latest] != nil, random.chance(40) { path = latest }
    latest = path
    switch random.below(9) {
    case 0, 1:
      guard let json = try? JSON(bytes: files[path]!) else { return ("found \(path) broken", head) }
      let new = PlainGitUser.reworded(json, &random).canonicalBytes
      return ("reworded \(path)", try record([path: new], on: head, &ledger))
    case 2:
      let isLabel = path.hasPrefix("labels/")
      guard isLabel || random.chance(30) else { return ("changed nothing", head) }
      return ("removed \(path)", try record([path: nil], on: head, &ledger))
    case 6:
      // Replaces an image's pointer, as after rotating the image in place, or removes it.
      let images = try repository.contents(of: commit.tree).keys.filter { $0.hasPrefix("images/") }
      guard !images.isEmpty else { return ("found no images", head) }
      let image = random.pick(images.sorted())
      let other = PlainGitUser.otherPointer(at: image, &random)
      let isSwap = random.chance(50)
      if !isSwap { withoutImage = DocumentPath(image)?.photo }
      return (
        "\(isSwap ? "swapped" : "removed") \(image)",
        try record([image: isSwap ? other.bytes : nil], on: head, &ledger)
      )
    case 7:
      let manifest = try repository.file(at: "cairn.json", in: commit.tree) ?? []
      let broken = random.pick([[], Array("<<<<<<< ours\n".utf8) + manifest, nil])
      return ("broke the manifest", try record(["cairn.json": broken], on: head, &ledger))
    case 8:
      // A directory in place of a document or an image, or different facts about an image.
      let image =
        path.hasPrefix("photos/") && random.chance(30)
        ? DocumentPath(path)?.photo.map { DocumentPath.image($0, .png).description } : nil
      if random.chance(50), let json = try? JSON(bytes: files[path]!), json["image"] != nil {
        return (
          "changed the facts of \(path)",
          try record([path: PlainGitUser.withOtherFacts(json).canonicalBytes], on: head, &ledger)
        )
      }
      let target = image ?? random.pick([path, path, "cairn.json"])
      return (
        "put a directory in place of \(target)",
        try record([target: nil, "\(target)/x": [10]], on: head, &ledger)
      )
    case 3:
      let broken = Array("<<<<<<< ours\n".utf8) + files[path]! + Array(">>>>>>> theirs\n".utf8)
      return ("broke \(path)", try record([path: broken], on: head, &ledger))
    default:
      guard commit.parents.count == 1 else { return ("would not revert a merge", head) }
      // As `git revert HEAD` does.
      var changes: [String: [UInt8]?] = [:]
      try repository.diff(try repository.commit(commit.parents[0]).tree, commit.tree) {
        difference in
        changes[difference.path] = .some(try difference.old.map { try repository.blob($0.id) })
      }
      changes["cairn.json"] = nil
      if changes.isEmpty { return ("had nothing to revert", head) }
      return ("reverted \(head.short)", try record(changes, on: head, &ledger))
    }
  }

  /// Changes a value as in an editor, without changing its stamp.
  static func reworded(_ json: JSON, _ random: inout SeededRandom) -> JSON {
    guard var object = json.object else { return json }
    if json["verdict"] != nil {
      object["verdict"] = .string(random.pick(["present", "absent", "withdrawn"]))
      return .object(object)
    }
    for key in ["title", "caption", "name"] where json[key] != nil {
      return changed(json, key, to: .string("by hand \(random.below(1000))"))
    }
    return json
  }

  /// Returns a photo with another title under the same stamp.
  static func retitled(_ json: JSON, _ title: String) -> JSON {
    changed(json, "title", to: .string(title))
  }

  static func changed(_ json: JSON, _ key: String, to value: JSON) -> JSON {
    guard var object = json.object, var register = object[key]?.object else { return json }
    register["value"] = value
    object[key] = .object(register)
    return .object(object)
  }

  /// Returns a photo with another size of its image.
  private static func withOtherFacts(_ json: JSON) -> JSON {
    guard var object = json.object, var image = object["image"]?.object else { return json }
    image["bytes"] = 999
    object["image"] = .object(image)
    return .object(object)
  }

  private func record(
    _ changes: [String: [UInt8]?], on head: ObjectID, _ ledger: inout Ledger
  ) throws -> ObjectID {
    let commit = try repository.commit(head)
    let writer = LooseObjectWriter(repository)
    var edits: [Repository.TreeChange] = []
    for (path, new) in changes.sorted(by: { $0.key < $1.key }) {
      let old = try repository.file(at: path, in: commit.tree)
      // A directory in place of a document does not remove it: nobody can have meant that.
      let isReplaced = changes.keys.contains { $0.hasPrefix(path + "/") }
      if new == nil, !isReplaced, case .class(let key)? = DocumentPath(path) {
        ledger.removeClass(
          path,
          under: try repository.contents(of: commit.tree).filter {
            guard case .label(_, let name)? = DocumentPath($0.key) else { return false }
            return name.classKey == key
          })
      }
      if !isReplaced { ledger.change(path, from: old, to: new, at: signature.time) }
      if old == nil, let new { ledger.restore(path, new) }
      edits.append((path, try new.map { TreeNode(.file, try writer.write(.blob, $0)) }))
    }
    let tree = try repository.edit(commit.tree, edits, writer: writer)
    if tree == commit.tree { return head }
    return try writer.write(
      Commit(
        tree: tree, parents: [head], author: signature, committer: signature, message: "By hand"))
  }
}
