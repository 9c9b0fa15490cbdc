package import CairnDocument
internal import CairnFiles
internal import LibC
internal import SystemPackage

extension DatasetDirectory {
  private var deviceFile: FilePath { privateDirectory.appending("device.json") }

  /// Returns the id of this copy of the dataset, creating one if there is none or if the directory
  /// was copied from another device.
  ///
  /// The file records its own inode and its machine: neither survives a copy, both survive a move.
  /// A copy made with hard links has the same inode, but its link count reveals it. Creating a new
  /// id without need does no harm.
  package func replicaID() throws -> ReplicaID {
    if let bytes = try files.read(deviceFile, limit: DocumentLimit.size),
      let json = try? JSON(bytes: bytes),
      let replica = json["replica"]?.string.flatMap({ ReplicaID($0) }),
      let status = try files.status(deviceFile), json["inode"]?.string == String(status.inode),
      status.links == 1,
      json["machine"]?.string == machine()
    {
      return replica
    }
    return try createReplicaID()
  }

  private func createReplicaID() throws -> ReplicaID {
    let replica = ReplicaID(rawValue: UInt32(truncatingIfNeeded: environment.random()))
    let temporary = temporaryFile()
    try files.createDirectory(temporaryDirectory)
    try files.create(temporary, [])
    let inode = try files.status(temporary)?.inode ?? 0
    let json: JSON = [
      "inode": .string(String(inode)), "machine": .string(machine()),
      "replica": .string(replica.description),
    ]
    // Written in place, since replacing it by a rename would change the inode.
    try files.append(json.canonicalBytes, to: temporary)
    try files.rename(temporary, to: deviceFile)
    return replica
  }

  private func machine() -> String {
    if let bytes = try? files.read("/etc/machine-id", limit: 256), !bytes.isEmpty {
      return String(decoding: bytes, as: UTF8.self).trimmingSpaces()
    }
    var name = [CChar](repeating: 0, count: 256)
    gethostname(&name, name.count - 1)
    return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
