import Foundation

extension Stage {
  /// Asks what there is, in a dataset that is checked out in part.
  func measureReading() throws {
    let dataset = try copy(try baseDataset(), as: "read")
    try output(cairn.label(generator.photos[nextPhoto()], at: dataset))
    try output(cairn.commit(at: dataset))
    func photo(_ run: Int) -> String {
      generator.photos[run * 104_729 % generator.photos.count]
    }
    func ask(
      _ contender: String, _ way: String, _ command: @escaping (Int) -> Command
    ) -> Entry {
      Entry(contender: contender, way: way, commands: { [command($0)] })
    }
    let (cairn, git) = (cairn, git)
    let full = try fullDataset()
    let status = [
      ask("cairn", "cairn status") { _ in cairn("status", at: dataset) },
      ask("git", "git status") { _ in git("status", at: dataset) },
      ask("git, all checked out", "git status") { _ in git("status", at: full) },
      ask("cairn, all checked out", "cairn status") { _ in cairn("status", at: full) },
    ]
    compare("status", status)
    compare(
      "show PHOTO", [ask("cairn", "cairn show PHOTO") { cairn("show", photo($0), at: dataset) }])
    compare(
      "why PHOTO",
      [
        ask("cairn", "cairn why PHOTO") { cairn("why", photo($0), at: dataset) },
        ask("git", "git log -- labels/…/PHOTO/") { run in
          let id = photo(run)
          return git(
            "log", "--stat", "--", "labels/\(id.prefix(2))/\(id.dropFirst(2).prefix(2))/\(id)/",
            at: dataset)
        },
      ])
    compare(
      "diff of one label",
      [
        ask("cairn", "cairn diff HEAD~1") { _ in cairn("diff", "HEAD~1", at: dataset) },
        ask("git", "git diff HEAD~1 HEAD") { _ in git("diff", "HEAD~1", "HEAD", at: dataset) },
      ])
    let pattern = "\"class\": \"\(Generator.rareClass)\""
    compare(
      "find all photos of a class",
      [
        ask("cairn", "cairn find label:CLASS") { _ in cairn.find(at: dataset) },
        ask("git", "git grep -l CLASS HEAD -- labels") { _ in
          git("grep", "-l", "-F", pattern, "HEAD", "--", "labels", at: dataset)
        },
      ])
    try remove(dataset)
  }
}
