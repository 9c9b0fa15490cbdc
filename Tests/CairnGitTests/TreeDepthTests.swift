import CairnFiles
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import CairnGit

@Suite("Deeply nested trees")
struct TreeDepthTests {
  /// Returns a tree with one file, `depth` directories deep.
  private func tree(depth: Int, _ content: UInt8, in repository: Repository) throws -> ObjectID {
    let writer = PackWriter(repository)
    var node = TreeNode(.file, try writer.write(.blob, [content]))
    for _ in 0...depth {
      let entry = Tree.Entry(name: "d", node: node)
      node = TreeNode(.directory, try writer.write(.tree, Tree(entries: [entry]).bytes))
    }
    try writer.finish()
    try repository.refreshObjects()
    return node.id
  }

  /// Runs every operation that walks down trees.
  private func walk(_ trees: [ObjectID], _ repository: Repository, isTooDeep: Bool) throws {
    let writer = LooseObjectWriter(repository)
    let commit = try writer.write(
      Commit(tree: trees[0], parents: [], author: .ann, committer: .ann, message: "m"))
    let walks: [() throws -> Void] = [
      { _ = try repository.diff(trees[0], trees[1]) },
      { _ = try repository.newObjects(from: commit, excluding: []) },
      {
        _ = try repository.merge(
          base: trees[0], ours: trees[1], theirs: trees[2], writer: writer
        ) { $0.ours }
      },
    ]
    let results = walks.map { walk in Result { try walk() } }
    for result in results {
      if isTooDeep {
        let error = #expect(throws: GitError.self) { try result.get() }
        #expect(error?.code == .tooDeep)
      } else {
        try result.get()
      }
    }
    // Packing never fails, since only the order of the objects depends on the trees.
    var count = 0
    try repository.forEachForPacking([commit, trees[0]]) { _, _ in count += 1 }
    #expect(count == 2)
  }

  @Test("walks trees down to the depth limit and rejects deeper ones", arguments: [0, 1, 20_000])
  func limit(beyond: Int) throws {
    let sandbox = try Sandbox()
    let repository = try sandbox.newRepository()
    let depth = Repository.depthLimit + beyond
    let trees = try (0..<3).map { try tree(depth: depth, UInt8($0), in: repository) }
    let result = Mutex<Result<Void, any Error>?>(nil)
    let isOver = DispatchSemaphore(value: 0)
    // The smallest stack that systems give to threads.
    let thread = Thread {
      result.withLock { result in
        result = Result { try walk(trees, try sandbox.openRepository(), isTooDeep: beyond > 0) }
      }
      isOver.signal()
    }
    thread.stackSize = 512 << 10
    thread.start()
    isOver.wait()
    try result.withLock { try #require($0) }.get()
  }
}
