import Cairn

extension PhotoArguments {
  /// Removes or restores the photos, and prints which of them changed.
  func setRemoved(_ removed: Bool, _ globals: GlobalOptions) throws {
    let dataset = try globals.dataset()
    let photos = try dataset.setPhotosRemoved(try ids(in: dataset), removed)
    Console.print(
      globals,
      .array(photos.map { ["changed": .bool($0.changed), "id": .string($0.id.description)] })
    ) {
      for (id, changed) in photos {
        let done = removed ? "removed" : "restored"
        Console.print(changed ? "\(done) \(id.short)" : "\(id.short) was already \(done)")
      }
    }
  }
}
