internal import CairnFiles
internal import LibC
internal import SystemPackage

/// What putting objects together did, or would do.
public struct RepackReport: Equatable, Sendable {
  /// Files of objects, and their size altogether.
  public struct Count: Equatable, Sendable {
    public internal(set) var loose: Int
    public internal(set) var packs: Int
    public internal(set) var bytes: Int64

    init(_ files: ObjectFiles) {
      (loose, packs, bytes) = (files.loose.count, files.packs.count, files.bytes)
    }
  }

  /// How many objects were put into the new pack, or would be.
  public let objects: Int
  /// Whether git puts them there.
  public let isByGit: Bool
  public let before: Count
  /// After a rehearsal, what was before.
  public let after: Count
}

// Upkeep moves objects from many files into one; it never drops an object, whether anything refers to
// it or not. That is what keeps everybody safe who is about to refer to one: an import or a pull that
// has no ref yet, a checkout that was cut short (`.git/cairn/checkout`), what amending goes by
// (`.git/cairn/seen`), a reflog, a repository that borrows from this one (alternates). What nothing
// refers to lies in a pack of today afterwards, so that `git gc` counts its two weeks from today.
//
// A file is removed only by whoever has put a pack beside it, on the disk for good, whose index was
// read back and lists every object of that file. From that follows, case by case:
//
// - Somebody reads. Who has a pack open or mapped keeps its bytes. Who knows of a file only by name,
//   finds it gone, looks at the directory again, as git and libgit2 do, and finds the new pack: it was
//   there before the old one went.
// - Somebody writes. Only files that were listed before the new pack was written are removed. An
//   object that is written meanwhile lies in a file that was not listed, or, when it is one that was
//   here already, is in the new pack. Directories of loose objects stay, so that none goes away under
//   a writer who has just made it.
// - Two at once. A lock keeps them apart, the one that `git maintenance` takes for the same; `git gc`
//   says so in a file of its own, which is respected. Should two get by that (`git repack` by hand),
//   each still removes only what its own pack holds, and a pack that is not whole when it is read back
//   replaces nothing.
// - A crash. Until the new pack has its index, it is not there, and `git gc` takes away its temporary
//   file; afterwards some objects are there twice, until their packs are put together. An index whose
//   pack is gone already is passed over by every reader, and removed when it is a day old: until then
//   it may be on its way in before its pack, as libgit2 brings them.
// - `.keep`. Such packs are left out; it is looked for again just before a pack is removed.

extension Repository {
  /// Puts loose objects and small packs together into one pack, each of which stays twice as large
  /// as the next (``RepackPlan``).
  ///
  /// - Parameters:
  ///   - byteLimit: How large the packs may be that are packed again, all together.
  ///   - git: git, which stores what is alike as differences; without it, or where it fails, objects
  ///     are stored whole.
  ///   - isRehearsal: Whether only to say what would be done.
  ///   - progress: Called with what is being done, how much of it is done, and how much there is.
  /// - Returns: Nil when another process is at it.
  public func repack(
    byteLimit: Int64 = .max, git: GitProgram?, isRehearsal: Bool = false,
    progress: (_ what: String, _ done: Int, _ total: Int) -> Void = { _, _, _ in }
  ) throws -> RepackReport? {
    if isRehearsal {
      let files = try objectFiles()
      let count = RepackReport.Count(files)
      let ids = try ids(of: RepackPlan(files, byteLimit: byteLimit))
      return RepackReport(
        objects: ids.count, isByGit: git != nil, before: count, after: count)
    }
    guard let lock = try LockFile.take(objectsDirectory.appending("maintenance.lock"), files: files)
    else { return nil }
    return try withExtendedLifetime(lock) {
      if try isBeingCollected() { return nil }
      let before = try objectFiles()
      let plan = RepackPlan(before, byteLimit: byteLimit)
      var (objects, isByGit) = (0, false)
      if !plan.isEmpty {
        let ids = try ids(of: plan)
        progress("packing objects", 0, ids.count)
        let pack = try writePack(of: ids, besides: before, git: git, progress)
        (objects, isByGit) = (pack.ids.count, pack.isByGit)
        try remove(plan, replacedBy: pack)
      }
      try refreshObjects()
      return RepackReport(
        objects: objects, isByGit: isByGit, before: RepackReport.Count(before),
        after: RepackReport.Count(try objectFiles()))
    }
  }

  /// Returns the ids of what a plan puts together, sorted, each once; none of a plan that is empty.
  private func ids(of plan: RepackPlan) throws -> [ObjectID] {
    if plan.isEmpty { return [] }
    var ids = plan.loose
    for pack in plan.packs {
      guard let names = PackListing.ids(packDirectory.appending(pack.name + ".idx"), files: files)
      else { throw GitError(.modified, "\(pack.name) went away meanwhile") }
      ids += names
    }
    ids.sort()
    return ids.enumerated().filter { $0 == 0 || $1 != ids[$0 - 1] }.map(\.element)
  }

  // MARK: The new pack

  /// A pack that is on the disk, and what its index lists, sorted.
  private struct NewPack {
    let name: String
    let ids: [ObjectID]
    let isByGit: Bool
  }

  /// Writes a pack of objects and reads its index back.
  private func writePack(
    of ids: [ObjectID], besides before: ObjectFiles, git: GitProgram?,
    _ progress: (String, Int, Int) -> Void
  ) throws -> NewPack {
    if let git {
      do {
        try writePack(of: ids, git: git) { progress("packing objects", 0, ids.count) }
        if let pack = try findPack(of: ids, besides: before, isByGit: true) { return pack }
      } catch {
        // git is too old, does not trust the owner of the directory, or met a damaged object.
        guard error is GitError else { throw error }
      }
    }
    let written = try writePackOfWholeObjects(ids, progress)
    guard let pack = try findPack(of: written, besides: before, isByGit: false) else {
      throw GitError(.modified, "the new pack in \(packDirectory) went away meanwhile")
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

  /// Writes what `git pack-objects` reads: an id a line, with a path where one is known.
  private func writeList(of ids: [ObjectID], to path: FilePath) throws {
    let file = try files.createNew(path)
    try file.closeAfter {
      var text: [UInt8] = []
      try forEachForPacking(ids) { id, place in
        text += Array("\(id) ".utf8) + place.utf8.map { $0 == 0x0A ? 0x20 : $0 } + [0x0A]
        if text.count > 1 << 16 {
          try files.writeAll(text, to: file, path)
          text = []
        }
      }
      try files.writeAll(text, to: file, path)
    }
  }

  /// Writes a pack without git, and returns what it holds: what cannot be read stays where it is.
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

  /// Returns the pack that holds just `ids`; of two, the one that was not there before.
  private func findPack(
    of ids: [ObjectID], besides before: ObjectFiles, isByGit: Bool
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

  // MARK: What it replaces

  /// Removes the files of a plan whose objects are all in `new`.
  private func remove(_ plan: RepackPlan, replacedBy new: NewPack) throws {
    let held = Set(new.ids)
    // It names packs by which readers would look for what lies elsewhere now; git makes it anew.
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

  // MARK: git's own upkeep

  /// Whether a `git gc` that somebody started is at work here.
  ///
  /// Source: git's builtin/gc.c, `lock_repo_for_gc`: the file holds the process and its machine, and
  /// speaks for twelve hours at most.
  private func isBeingCollected() throws -> Bool {
    let path = commonDirectory.appending("gc.pid")
    guard let bytes = try files.read(path, limit: 4096), let status = try files.status(path) else {
      return false
    }
    let words = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace)
    guard words.count == 2, let process = Int32(words[0]), process > 0 else { return false }
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    if Int64(now.tv_sec) - status.modified / 1_000_000_000 > 12 * 60 * 60 { return false }
    return words[1] != hostName() || kill(process, 0) == 0 || errno == EPERM
  }
}
