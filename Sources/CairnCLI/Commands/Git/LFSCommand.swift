import ArgumentParser

/// The commands that git runs as image filters if git-lfs is not installed.
struct LFS: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lfs", abstract: "Filter images for git if git-lfs is not installed.",
    shouldDisplay: false, subcommands: [LFSClean.self, LFSSmudge.self, LFSFilterProcess.self])
}
