internal import CairnFiles
internal import LibC
internal import SystemPackage

/// The result of a repack, or of a dry run.
public struct RepackReport: Equatable, Sendable {
  /// The number of object files and their total size.
  public struct Count: Equatable, Sendable {
    /// The number of loose objects.
    public internal(set) var loose: Int
    /// The number of packs.
    public internal(set) var packs: Int
    /// Their size.
    public internal(set) var bytes: Int64

    init(_ files: ObjectFiles) {
      (loose, packs, bytes) = (files.loose.count, files.packs.count, files.bytes)
    }
  }

  /// The number of objects put into the new pack; in a dry run, that would be put into it.
  public let objects: Int
  /// Whether git writes the new pack.
  public let isByGit: Bool
  /// The objects before it.
  public let before: Count
  /// The count afterwards; in a dry run, the count before.
  public let after: Count
}

// Maintenance moves objects from many files into one; it never drops an object, referenced or not.
// This protects every process that is about to refer to an object: an import or a pull that has no
// ref yet, an interrupted checkout (`.git/cairn/checkout`), the state of commit fixups
// (`.git/cairn/seen`), a reflog, a repository that borrows from this one (alternates). Unreferenced
// objects end up in a new pack, so the two weeks that `git gc` waits start on the day of the
// maintenance.
//
// A process removes a file only after it has written a replacement pack durably to disk, read back
// the pack's index, and found every object of that file in the index. From that follows, case by
// case:
//
// - Readers. A process that has a pack open or mapped keeps its bytes. A process that knows a file
//   only by name and finds it removed reads the directory again, as git and libgit2 do, and finds
//   the new pack: it existed before the old one was removed.
// - Writers. Only files that were listed before the new pack was written are removed. An object
//   that is written meanwhile is in a file that was not listed or, when it already existed here, in
//   the new pack. Directories of loose objects are kept, so that none disappears from under a
//   writer that has just created it.
// - Concurrent maintenance. It is prevented by a lock, the one that `git maintenance` takes for the
//   same purpose; `git gc` records itself in a separate file, which is respected. If two processes
//   get past that (`git repack` run by a user), each still removes only what its own pack contains,
//   and a pack that is incomplete when it is read back replaces nothing.
// - A crash. Until the new pack has its index, it is not visible, and `git gc` removes its
//   temporary file; after that, some objects exist twice until their packs are combined. An index
//   whose pack is already removed is ignored by every reader and removed when it is a day old:
//   until then it may be about to be followed by its pack, since libgit2 can install the index
//   first.
// - `.keep`. Such packs are excluded; the file is checked again just before a pack is removed.

extension Repository {
  /// Combines loose objects and small packs into one pack, so that each pack stays at least twice
  /// as large as the next (``RepackPlan``).
  ///
  /// - Parameters:
  ///   - byteLimit: The maximum total size in bytes of the packs to pack again.
  ///   - git: The git program, which stores similar objects as deltas; when it is nil or fails,
  ///     objects are stored whole.
  ///   - isDryRun: Whether to only report what would be done.
  ///   - progress: Called with the current operation, the amount done and the total.
  /// - Returns: Nil when another process is running maintenance.
  package func repack(
    byteLimit: Int64 = .max, git: GitProgram?, isDryRun: Bool = false,
    progress: (_ what: String, _ done: Int, _ total: Int) -> Void = { _, _, _ in }
  ) throws -> RepackReport? {
    if isDryRun {
      let files = try objectFiles()
      let count = RepackReport.Count(files)
      let ids = try ids(of: RepackPlan(files, byteLimit: byteLimit))
      return RepackReport(
        objects: ids.count, isByGit: git != nil, before: count, after: count)
    }
    guard let lock = try tryLock(objectsDirectory.appending("maintenance.lock")) else {
      return nil
    }
    return try withExtendedLifetime(lock) {
      if try isBeingCollected() { return nil }
      let before = try objectFiles()
      let plan = RepackPlan(before, byteLimit: byteLimit)
      var (objects, isByGit) = (0, false)
      if !plan.isEmpty {
        let ids = try ids(of: plan)
        progress("packing objects", 0, ids.count)
        let pack = try writePack(of: ids, before: before, git: git, progress)
        (objects, isByGit) = (pack.ids.count, pack.isByGit)
        try remove(plan, replacedBy: pack)
      }
      try refreshObjects()
      return RepackReport(
        objects: objects, isByGit: isByGit, before: RepackReport.Count(before),
        after: RepackReport.Count(try objectFiles()))
    }
  }

  /// Returns the ids of the objects that a plan combines, sorted and unique; none for an empty
  /// plan.
  private func ids(of plan: RepackPlan) throws -> [ObjectID] {
    if plan.isEmpty { return [] }
    var ids = plan.loose
    for pack in plan.packs {
      guard let names = PackListing.ids(packDirectory.appending(pack.name + ".idx"), files: files)
      else { throw GitError(.modified, "another process has removed \(pack.name)") }
      ids += names
    }
    ids.sort()
    return ids.enumerated().filter { $0 == 0 || $1 != ids[$0 - 1] }.map(\.element)
  }

  // MARK: The new pack

  /// A pack on disk, with the sorted ids that its index lists.
  private struct NewPack {
    let name: String
    let ids: [ObjectID]
    let isByGit: Bool
  }

  /// Writes a pack of objects and reads its index back.
  private func writePack(
    of ids: [ObjectID], before: ObjectFiles, git: GitProgram?,
    _ progress: (String, Int, Int) -> Void
  ) throws -> NewPack {
    if let git {
      do {
        try writePack(of: ids, git: git) { progress("packing objects", 0, ids.count) }
        if let pack = try findPack(of: ids, before: before, isByGit: true) { return pack }
      } catch {
        // git is too old, does not trust the owner of the directory, or found a damaged object.
        guard error is GitError else { throw error }
      }
    }
    let written = try writePackOfWholeObjects(ids, progress)
    guard let pack = try findPack(of: written, before: before, isByGit: false) else {
      throw GitError(.modified, "another process has removed the new pack in \(packDirectory)")
    }
    return pack
  }

  private func writePack(of ids: [ObjectID], git: GitProgram, tick: () -> Void) throws {
    let list = packDirectory.appending(
      "tmp_list_\(String(UInt64.random(in: 0 ... .max), radix: 36))")
    try files.createDirectory(packDirectory)
    defer { try? files.remove(list) }
    try writeList(of: ids, to: list)
    try git.run(
      "pack-objects",
      [
        "-q", "--delta-base-offset", "--index-version=2", packDirectory.appending("pack").string,
      ],
      settings: ["core.fsync=pack,pack-metadata", "pack.packSizeLimit=0"], in: self, input: list,
      tick: tick)
    try files.syncDirectory(packDirectory)
  }

  /// Writes the input of `git pack-objects`: one id per line, with a path where one is known.
  private func writeList(of ids: [ObjectID], to path: FilePath) throws {
    let file = try files.createNew(path)
    try file.closeAfter {
      var text: [UInt8] = []
      try forEachForPacking(ids) { id, objectPath in
        text += Array("\(id) ".utf8) + objectPath.utf8.map { $0 == 0x0A ? 0x20 : $0 } + [0x0A]
        if text.count > 1 << 16 {
          try files.writeAll(text, to: file, path)
          text = []
        }
      }
      try files.writeAll(text, to: file, path)
    }
  }

  /// Writes a pack without git and returns the ids in it; unreadable objects are left in place.
  private func writePackOfWholeObjects(
    _ ids: [ObjectID], _ progress: (String, Int, Int) -> Void
  ) throws -> [ObjectID] {
    let writer = PackWriter(objectsDirectory: objectsDirectory, files: files)
    var written: [ObjectID] = []
    for (done, id) in ids.enumerated() {
      if done % 1000 == 0 { progress("packing objects", done, ids.count) }
      guard let (kind, bytes) = try? withObject(id, { ($0, Array($1)) }) else { continue }
      try writer.write(id, kind, bytes)
      written.append(id)
    }
    try writer.finish()
    return written
  }

  /// Returns the pack that contains exactly `ids`; of two, the one that did not exist before.
  private func findPack(
    of ids: [ObjectID], before: ObjectFiles, isByGit: Bool
  ) throws -> NewPack? {
    let old = Set(before.packs.map(\.name))
    let candidates = try packFiles().filter { $0.objects == ids.count }
    for pack in candidates.filter({ !old.contains($0.name) })
      + candidates.filter({ old.contains($0.name) })
    where PackListing.ids(packDirectory.appending(pack.name + ".idx"), files: files) == ids {
      return NewPack(name: pack.name, ids: ids, isByGit: isByGit)
    }
    return nil
  }

  // MARK: Replaced files

  /// Removes the files of a plan whose objects are all in `new`.
  private func remove(_ plan: RepackPlan, replacedBy new: NewPack) throws {
    let held = Set(new.ids)
    // The multi-pack index would direct readers to packs that no longer exist; git recreates it.
    if !plan.packs.isEmpty { try files.remove(packDirectory.appending("multi-pack-index")) }
    for id in plan.loose where held.contains(id) { try files.remove(looseFile(id)) }
    for pack in plan.packs where pack.name != new.name {
      guard
        let ids = PackListing.ids(packDirectory.appending(pack.name + ".idx"), files: files),
        ids.allSatisfy(held.contains),
        try !files.exists(packDirectory.appending(pack.name + ".keep"))
      else { continue }
      let names = Set(try files.list(packDirectory) ?? [])
      for name in names.packFiles(of: pack.name) { try files.remove(packDirectory.appending(name)) }
    }
  }

  // MARK: git's own maintenance

  /// Returns whether another process is running `git gc` here.
  ///
  /// Source: git's builtin/gc.c, `lock_repo_for_gc`: the file records the process id and the host
  /// name, and is valid for at most twelve hours.
  private func isBeingCollected() throws -> Bool {
    let path = commonDirectory.appending("gc.pid")
    guard let bytes = try files.read(path, limit: 4096), let status = try files.status(path) else {
      return false
    }
    let fields = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace)
    guard fields.count == 2, let process = Int32(fields[0]), process > 0 else { return false }
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    if Int64(now.tv_sec) - status.modified / 1_000_000_000 > 12 * 60 * 60 { return false }
    return fields[1] != hostName() || kill(process, 0) == 0 || errno == EPERM
  }
}
