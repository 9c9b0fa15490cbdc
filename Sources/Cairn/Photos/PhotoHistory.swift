internal import CairnDocument
internal import CairnGit
internal import CairnMerge
internal import CairnSync

/// The history of one photo: the changes that each commit made to it, its labels, and the classes
/// and runs of its labels.
///
/// Reads only the subtrees of each commit that hold the photo, its labels, and their classes and
/// runs, and each version of them once.
final class PhotoHistory {
  private let replica: Replica
  private let photo: PhotoID
  /// The current display names.
  private let now: DisplayNames
  /// The objects at paths in trees, cached since many commits share them.
  private var places: [Key: ObjectID?] = [:]
  private var runs: [ObjectID: RunID?] = [:]
  /// The display names of classes in the most recently requested version of their directory.
  private var then: (classes: ObjectID, names: DisplayNames)?

  private struct Key: Hashable {
    let tree: ObjectID
    let path: String
  }

  /// The objects of a commit that belong to the history of the photo.
  private struct Snapshot: Equatable {
    var photo: ObjectID?
    var labels: ObjectID?
    var classes: ObjectID?
    var runs: ObjectID?
  }

  private var repository: Repository { replica.repository }

  init(_ replica: Replica, of photo: PhotoID, head: ObjectID) throws {
    (self.replica, self.photo) = (replica, photo)
    let tree = try replica.repository.commit(head).tree
    now = DisplayNames { path in
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

    let statements = names(classes: new.classes)
    try tell(.photo(photo), new.photo, parents.map(\.photo), statements, &changes)
    if !parents.contains(where: { $0.labels == new.labels }) {
      let before = try parents.map(self.labels)
      for path in Set(labels.keys).union(before.first.map { Array($0.keys) } ?? []).sorted(
        by: inOrder)
      {
        try tell(path, labels[path], before.map { $0[path] }, statements, &changes)
      }
    }
    // A created class or a started run is not a change of this photo.
    if !parents.contains(where: { $0.classes == new.classes }) {
      for key in Set(labels.keys.compactMap(\.classKey)).sorted() {
        let versions = try parents.map { try find("\(key).json", in: $0.classes) }
        if versions.isEmpty || versions.contains(nil) { continue }
        let current = try find("\(key).json", in: new.classes)
        try tell(.class(key), current, versions, now.naming, &changes)
      }
    }
    if !parents.contains(where: { $0.runs == new.runs }) {
      for run in try Set(labels.values.compactMap(run(of:))).sorted() {
        let path = "\(run.text.prefix(2))/\(run).json"
        let versions = try parents.map { try find(path, in: $0.runs) }
        if versions.isEmpty || versions.contains(nil) { continue }
        try tell(.run(run), find(path, in: new.runs), versions, now.naming, &changes)
      }
    }
    return changes
  }

  /// Adds the change of one document, if any.
  private func tell(
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
  private func names(classes: ObjectID?) -> DocumentChange.Naming {
    var naming = now.naming
    guard let classes else { return naming }
    if then?.classes != classes {
      let names = DisplayNames { [unowned self] path in
        guard case .class(let key) = path else { return nil }
        return try find("\(key).json", in: classes).map(repository.blob)
      }
      then = (classes, names)
    }
    naming.ofClass = { [now, then] key in
      let (today, before) = (now.name(of: key), then?.names.name(of: key) ?? key.text)
      return today == before ? today : "\(today) (then “\(before)”)"
    }
    return naming
  }

  // MARK: Objects

  private func snapshot(_ tree: ObjectID) throws -> Snapshot {
    let top = try repository.tree(tree)
    func directory(_ name: String) -> ObjectID? {
      top[name].flatMap { $0.isDirectory ? $0.id : nil }
    }
    func inside(_ name: String, _ path: String, isDirectory: Bool = false) throws -> ObjectID? {
      // The path begins with the directory.
      let rest = String(path.dropFirst(name.count + 1))
      return try find(rest, in: directory(name), isDirectory: isDirectory)
    }
    return Snapshot(
      photo: try inside("photos", DocumentPath.photo(photo).description),
      labels: try inside("labels", DocumentPath.labels(of: photo), isDirectory: true),
      classes: directory("classes"), runs: directory("runs"))
  }

  private func find(
    _ path: String, in tree: ObjectID?, isDirectory: Bool = false
  ) throws -> ObjectID? {
    guard let tree else { return nil }
    let place = Key(tree: tree, path: path)
    if let known = places[place] { return known }
    if places.count > 50_000 { places = [:] }
    let node = try repository.node(at: path, in: tree)
    let found = node.flatMap { $0.isDirectory == isDirectory ? $0.id : nil }
    places[place] = .some(found)
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
