internal import CairnDocument
internal import CairnFiles
internal import CairnGit
internal import CairnStore
internal import SystemPackage

// A copy made without images has pointers in its work tree. A note says so, so that other copies
// need not look for pointers at each pull.

extension Replica {
  private var imagesLeftBehind: FilePath {
    directory.privateDirectory.appending("images-left-behind")
  }

  func noteImagesLeftBehind() throws {
    if try world.files.exists(imagesLeftBehind) { return }
    try world.files.create(imagesLeftBehind, [])
  }

  /// Brings the images that earlier pulls left behind, and puts them in place of their pointers.
  ///
  /// - Returns: How many came.
  func fetchImagesLeftBehind(
    from remote: Remote, options: TransferOptions
  ) throws -> Int {
    guard let store = remote.images, try world.files.exists(imagesLeftBehind) else { return 0 }
    var pointers: [(path: String, pointer: Pointer)] = []
    let tree = try repository.tree(ofCommit: repository.head())
    try repository.forEachFile(in: tree, below: "images") { path, node in
      if let pointer = Pointer(bytes: try repository.blob(node.id)) {
        pointers.append((path, pointer))
      }
    }
    let count = try fetchImages(pointers.map(\.pointer), from: store, options: options)
    var isComplete = true
    var placed: [String] = []
    for (path, pointer) in pointers where isCheckedOut(path) {
      let location = try directory.location(path)
      let size = try world.files.status(location)?.size ?? 0
      // Only a pointer, or nothing, gives way; an image that somebody changed does not.
      guard try size == 0 || Pointer(bytes: directory.read(path) ?? []) != nil else { continue }
      if try directory.placeImage(pointer.id, at: path) {
        placed.append(path)
      } else {
        isComplete = false
      }
    }
    try indexImages(placed)
    if isComplete { try world.files.remove(imagesLeftBehind) }
    return count
  }

  /// Takes images out of the work tree whose photos were being added when a process was cut short.
  func discardHalfAddedImages() throws {
    let tree = try repository.tree(ofCommit: repository.head())
    for path in try directory.journaledPaths() {
      guard case .image(let id, _) = path,
        try directory.read(DocumentPath.photo(id).description) == nil,
        try repository.node(at: path.description, in: tree) == nil
      else { continue }
      try directory.remove(path.description)
    }
  }

  /// Tells git's index that images of the last commit are in the work tree: git would take the
  /// change of size from pointer to image for a change of the file.
  public func indexImages(_ paths: [String]) throws {
    let tree = try repository.tree(ofCommit: repository.head())
    try updateIndex(
      try paths.compactMap { path in
        guard let node = try repository.node(at: path, in: tree),
          let status = try world.files.status(try directory.location(path))
        else { return nil }
        return IndexFile.Entry(path: path, node: node, status: IndexStatus(status))
      }, in: tree)
  }
}
