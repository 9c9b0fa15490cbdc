internal import CairnFiles
internal import CairnGit
internal import CairnImages
public import CairnStore
internal import CairnTransport
public import SystemPackage

// Where images go stands in the dataset, in the file where git-lfs looks for it, so that whoever clones
// it need not be told.

extension Replica {
  /// A file of git-lfs's that people share. Source: git-lfs, docs/man/git-lfs-config.adoc.
  static let sharedConfiguration = ".lfsconfig"

  private static let sharedLimit = 64 << 10

  /// Returns git's configuration, and what a commit of the dataset says of images.
  func imageSettings(at commit: ObjectID?) throws -> GitSettings {
    var settings = try repository.settings()
    let tree = try repository.tree(ofCommit: commit)
    guard let node = try repository.node(at: Replica.sharedConfiguration, in: tree),
      try repository.size(of: node.id) <= Replica.sharedLimit
    else { return settings }
    let text = String(decoding: try repository.blob(node.id), as: UTF8.self)
    do throws(ConfigText.Malformed) {
      settings.addImagePlaces(try ConfigText.entries(of: text))
    } catch {
      throw SyncError.invalidImagePlaces(line: error.line)
    }
    return settings
  }

  /// Says where the images of a remote go, for all who take part, and commits that.
  ///
  /// - Parameters:
  ///   - address: Nil to let that follow from the remote's own address again.
  ///   - base: Where a relative path starts.
  public func setImagePlace(
    ofRemote name: String, _ address: String?, relativeTo base: FilePath, session: EditSession
  ) throws {
    guard try repository.remoteURL(name) != nil else { throw SyncError.noRemote(name) }
    var address = address
    if let text = address {
      if case .web(let web)? = try? RemoteAddress(text), web.password != nil {
        throw SyncError.passwordInAddress(web.text)
      }
      if case .directory(let path) = try Remote.imageAddress(text) {
        let place = base.pushing(FilePath(path)).lexicallyNormalized()
        guard world.files.directoryExists(place) else {
          throw SyncError.unreachable(text, reason: "there is no directory \(place)")
        }
        address = place.string
      }
    }
    // What waits to be committed has a summary of its own.
    try commit(session: session)
    let path = Replica.sharedConfiguration
    let before = try directory.read(path)
    try repository.setConfiguration(
      "remote.\(name).lfsurl", address, inFile: directory.location(path))
    if try directory.read(path) == before { return }
    let what = address.map { "Images of “\(name)” go to \($0)" } ?? "Images of “\(name)” go with it"
    try commit(message: what, others: [path], session: session)
  }

  /// Returns where the images of a remote were said to go; nil where that follows from its address.
  public func imagePlace(ofRemote name: String) throws -> String? {
    try imageSettings(at: repository.head()).imagePlace(ofRemote: name, .upload)
      .map(RemoteAddress.withoutSecret)
  }
}
