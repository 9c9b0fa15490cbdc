import Foundation

extension Stage {
  /// Runs commands that read, in a sparse checkout.
  func measureReading() throws {
    let dataset = try copy(try baseDataset(), as: "read")
    try output(cairn.label(generator.photos[nextPhoto()], at: dataset))
    try output(cairn.commit(at: dataset))
    func photo(_ run: Int) -> String {
      generator.photos[run * 104_729 % generator.photos.count]
    }
    func entry(
      _ contender: String, _ way: String, _ command: @escaping (Int) -> Command
    ) -> Entry {
      Entry(contender: contender, way: way, commands: { [command($0)] })
    }
    let (cairn, git) = (cairn, git)
    compare(
      "show PHOTO", [entry("cairn", "cairn show PHOTO") { cairn("show", photo($0), at: dataset) }])
    compare(
      "why PHOTO",
      [
        entry("cairn", "cairn why PHOTO") { cairn("why", photo($0), at: dataset) },
        entry("git", "git log -- labels/…/PHOTO/") { run in
          let id = photo(run)
          return git(
            "log", "--stat", "--", "labels/\(id.prefix(2))/\(id.dropFirst(2).prefix(2))/\(id)/",
            at: dataset)
        },
      ])
    compare(
      "diff of one label",
      [
        entry("cairn", "cairn diff HEAD~1") { _ in cairn("diff", "HEAD~1", at: dataset) },
        entry("git", "git diff HEAD~1 HEAD") { _ in git("diff", "HEAD~1", "HEAD", at: dataset) },
      ])
    let pattern = "\"class\": \"\(Generator.rareClass)\""
    compare(
      "find all photos of a class",
      [
        entry("cairn", "cairn find label:CLASS") { _ in cairn.find(at: dataset) },
        entry("git", "git grep -l CLASS HEAD -- labels") { _ in
          git("grep", "-l", "-F", pattern, "HEAD", "--", "labels", at: dataset)
        },
      ])
    try remove(dataset)
  }
}
