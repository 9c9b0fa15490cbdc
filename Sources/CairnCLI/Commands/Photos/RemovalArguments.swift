import ArgumentParser
import Cairn

/// The photos and the options of `cairn photo remove` and `cairn photo restore`.
struct RemovalArguments: ParsableArguments {
  @OptionGroup var target: PhotoArguments
  @OptionGroup var bulk: BulkEditOptions
  @OptionGroup var globals: GlobalOptions

  /// Removes or restores the photos, and prints which of them changed.
  func setRemoved(_ removed: Bool) throws {
    let dataset = try globals.dataset()
    let ids = try target.ids(in: dataset)
    if bulk.dryRun {
      let number = try ids.count { try dataset.show($0).isChanged(bySettingRemoved: removed) }
      let verb = removed ? "remove" : "restore"
      return Console.printDryRun(
        globals, ["photos": JSON(number)], ["Would \(verb) \(count(number, "photo"))."])
    }
    if target.selection.isGiven { try bulk.confirm(removed ? "remove" : "restore", ids) }
    let photos = try dataset.setPhotosRemoved(ids, removed)
    Console.printChange(
      globals,
      .array(photos.map { ["changed": .bool($0.changed), "id": .string($0.id.description)] })
    ) {
      PhotoEdits(
        done: removed ? "removed" : "restored",
        unchanged: removed ? "already removed" : "not removed",
        edits: photos.map { ($0.id, $0.changed) }
      ).print()
    }
  }
}

extension PhotoRecord {
  /// Returns whether removing or restoring the photo would change it.
  fileprivate func isChanged(bySettingRemoved removed: Bool) -> Bool {
    visibility.isVisible == removed || photo.removed.value != removed
  }
}
