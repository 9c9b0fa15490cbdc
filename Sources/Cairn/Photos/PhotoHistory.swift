internal import CairnDocument
internal import CairnGit
internal import CairnMerge
internal import CairnSync

/// The history of one photo: the changes that each commit made to it, its labels, and the classes
/// and runs of its labels, and who erased its image.
///
/// Reads only the subtrees of each commit that hold the photo, its labels, and their classes and
/// runs, and each version of them once.
final class PhotoHistory {
  private let replica: Replica
  private let photo: PhotoID
  private let currentNames: DisplayNames
  /// The objects at paths in trees, cached since many commits share them.
  private var objects: [ObjectKey: ObjectID?] = [:]
  private var runs: [ObjectID: RunID?] = [:]
  /// The display names of classes in the most recently requested version of their directory.
  private var earlierNames: (classes: ObjectID, names: DisplayNames)?

  private struct ObjectKey: Hashable {
    let tree: ObjectID
    let path: String
  }

  /// The objects of a commit that belong to the history of the photo.
  private struct Snapshot: Equatable {
    var photo: ObjectID?
    var erasure: ObjectID?
    var redaction: ObjectID?
    var labels: ObjectID?
    var classes: ObjectID?
    var runs: ObjectID?
  }

  private var repository: Repository { replica.repository }

  init(_ replica: Replica, of photo: PhotoID, head: ObjectID) throws {
    (self.replica, self.photo) = (replica, photo)
    let tree = try replica.repository.commit(head).tree
    currentNames = DisplayNames { path in
      let text = path.description
      return try replica.read(text)
        ?? replica.repository.file(at: text, in: tree)
    }
  }

  /// Returns the changes that a commit made compared to each of its parents.
  func changes(in commit: Commit) throws -> [DocumentChange] {
    let new = try snapshot(commit.tree)
    let parents = try commit.parents.map { try snapshot(repository.commit($0).tree) }
    if parents.contains(new) { return [] }
    let labels = try labels(new)
    var changes: [DocumentChange] = []

    let naming = naming(classes: new.classes)
    try appendChange(.photo(photo), new.photo, parents.map(\.photo), naming, &changes)
    try appendChange(.erasure(photo), new.erasure, parents.map(\.erasure), naming, &changes)
    try appendChange(
      .redaction(.photo(photo)), new.redaction, parents.map(\.redaction), naming, &changes)
    if !parents.contains(where: { $0.labels == new.labels }) {
      let before = try parents.map(self.labels)
      for path in Set(labels.keys).union(before.first.map { Array($0.keys) } ?? []).sorted(
        by: inOrder)
      {
        try appendChange(path, labels[path], before.map { $0[path] }, naming, &changes)
      }
    }
    // A created class or a started run is not a change of this photo.
    if !parents.contains(where: { $0.classes == new.classes }) {
      for key in Set(labels.keys.compactMap(\.classKey)).sorted() {
        let versions = try parents.map { try find("\(key).json", in: $0.classes) }
        if versions.isEmpty || versions.contains(nil) { continue }
        let current = try find("\(key).json", in: new.classes)
        try appendChange(.class(key), current, versions, currentNames.naming, &changes)
      }
    }
    if !parents.contains(where: { $0.runs == new.runs }) {
      for run in try Set(labels.values.compactMap(run(of:))).sorted() {
        let path = "\(run.text.prefix(2))/\(run).json"
        let versions = try parents.map { try find(path, in: $0.runs) }
        if versions.isEmpty || versions.contains(nil) { continue }
        try appendChange(
          .run(run), find(path, in: new.runs), versions, currentNames.naming, &changes)
      }
    }
    return changes
  }

  /// Appends the change of one document, if any.
  private func appendChange(
    _ path: DocumentPath, _ new: ObjectID?, _ parents: [ObjectID?],
    _ naming: DocumentChange.Naming, _ changes: inout [DocumentChange]
  ) throws {
    if new == nil && parents.isEmpty || parents.contains(new) { return }
    let bytes = try new.map(repository.blob)
    var against = try (parents.isEmpty ? [nil] : parents).map { old in
      DocumentChange(try old.map(repository.blob), bytes, at: path, naming: naming)
    }
    let first = against.removeFirst()
    if let change = first.common(with: against) { changes.append(change) }
  }

  // MARK: Names

  /// Returns the current names of classes, with their names in `classes` where those differ.
  private func naming(classes: ObjectID?) -> DocumentChange.Naming {
    var naming = currentNames.naming
    guard let classes else { return naming }
    if earlierNames?.classes != classes {
      let names = DisplayNames { [unowned self] path in
        guard case .class(let key) = path else { return nil }
        return try find("\(key).json", in: classes).map(repository.blob)
      }
      earlierNames = (classes, names)
    }
    naming.ofClass = { [currentNames, earlierNames] key in
      let (current, past) = (
        currentNames.name(of: key), earlierNames?.names.name(of: key) ?? key.text
      )
      return current == past ? current : "\(current) (then “\(past)”)"
    }
    return naming
  }

  // MARK: Objects

  private func snapshot(_ tree: ObjectID) throws -> Snapshot {
    let top = try repository.tree(tree)
    func directory(_ name: String) -> ObjectID? {
      top[name].flatMap { $0.isDirectory ? $0.id : nil }
    }
    func object(_ name: String, _ path: String, isDirectory: Bool = false) throws -> ObjectID? {
      // The path begins with the name of the directory.
      let rest = String(path.dropFirst(name.count + 1))
      return try find(rest, in: directory(name), isDirectory: isDirectory)
    }
    return Snapshot(
      photo: try object("photos", DocumentPath.photo(photo).description),
      erasure: try object("erasures", DocumentPath.erasure(photo).description),
      redaction: try object("erasures", DocumentPath.redaction(.photo(photo)).description),
      labels: try object("labels", DocumentPath.labels(of: photo), isDirectory: true),
      classes: directory("classes"), runs: directory("runs"))
  }

  private func find(
    _ path: String, in tree: ObjectID?, isDirectory: Bool = false
  ) throws -> ObjectID? {
    guard let tree else { return nil }
    let key = ObjectKey(tree: tree, path: path)
    if let known = objects[key] { return known }
    if objects.count > 50_000 { objects = [:] }
    let node = try repository.node(at: path, in: tree)
    let found = node.flatMap { $0.isDirectory == isDirectory ? $0.id : nil }
    objects[key] = .some(found)
    return found
  }

  private func labels(_ snapshot: Snapshot) throws -> [DocumentPath: ObjectID] {
    let directory = DocumentPath.labels(of: photo)
    let files = try repository.tree(snapshot.labels).entries.compactMap { entry in
      DocumentPath("\(directory)/\(entry.name)").map { ($0, entry.node.id) }
    }
    return Dictionary(files) { $1 }
  }

  /// Returns the run that a label comes from.
  private func run(of label: ObjectID) throws -> RunID? {
    if let known = runs[label] { return known }
    let run = (try? Label(bytes: repository.blob(label)))?.run
    runs[label] = .some(run)
    return run
  }

  private func inOrder(_ a: DocumentPath, _ b: DocumentPath) -> Bool {
    a.description < b.description
  }
}

extension DocumentPath {
  /// The class of the label stored at this path.
  fileprivate var classKey: ClassKey? {
    if case .label(_, let name) = self { name.classKey } else { nil }
  }
}
