import CairnFiles
import CairnGit
import SystemPackage
import TestSupport

/// A random history: commits that change a few files, branch off and merge.
struct RandomHistory {
  private(set) var commits: [ObjectID] = []
  private var files: [ObjectID: ObjectID] = [:]

  /// - Parameter isFresh: Whether all contents are new, so that no blob occurs twice.
  init(
    commits count: Int, in repository: Repository, isFresh: Bool = true,
    using random: inout SeededGenerator
  ) throws {
    let writer = PackWriter(repository)
    for number in 0..<count {
      // Parents are recent commits, so that histories are long as well as wide.
      let recent = Array(commits.suffix(4))
      var parents: [ObjectID] = []
      for _ in 0..<(Int.random(in: 0..<4, using: &random) == 0 ? 2 : 1) {
        if let parent = recent.randomElement(using: &random), !parents.contains(parent) {
          parents.append(parent)
        }
      }
      var changes: [Repository.TreeChange] = []
      for part in 0..<Int.random(in: 1...3, using: &random) {
        let text = isFresh ? "\(number) \(part)" : "\(Int.random(in: 0..<5, using: &random))"
        let blob = try writer.write(.blob, Array(text.utf8))
        let index = Int.random(in: 0..<20, using: &random)
        changes.append(("d\(index % 4)/e\(index % 3)/f\(index)\(part)", TreeNode(.file, blob)))
      }
      try writer.finish()
      try repository.refreshObjects()
      let base = try repository.tree(ofCommit: parents.first)
      let tree = try repository.edit(base, changes, writer: writer)
      var signature = Signature.ann
      signature.time += Int64(number)
      commits.append(
        try writer.write(
          Commit(
            tree: tree, parents: parents, author: signature, committer: signature,
            message: "commit \(number)\n")))
      try writer.finish()
      try repository.refreshObjects()
    }
  }
}
