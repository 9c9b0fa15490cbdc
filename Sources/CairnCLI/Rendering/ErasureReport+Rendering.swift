import Cairn

extension ErasureReport {
  /// Why an image store could not erase the images; nil if all could.
  var failure: CairnError? { stores.lazy.compactMap(\.failure).first.map { CairnError($0) } }

  var rendered: JSON {
    [
      "changed": .array(changed.map { .string($0) }), "deletedHere": photos.rendered,
      "recorded": recorded.rendered, "stores": .array(stores.map(\.rendered)),
    ]
  }

  func print(_ globals: GlobalOptions) {
    if !photos.isEmpty { globals.print("Deleted here: \(count(photos.count, "erased image")).") }
    for path in changed {
      Console.print(
        "other content under the name of an erased image, kept: \(Console.printable(path))")
    }
    stores.print(globals)
  }
}

extension ErasureStoreReport {
  var rendered: JSON {
    [
      "address": .string(address), "erased": erased.rendered,
      "error": JSON(failure.map { CairnError($0).message }), "failed": failed.rendered,
      "kept": kept.rendered, "remote": .string(remote),
    ]
  }
}

extension [ErasureStoreReport] {
  /// Prints what image stores did with erased images, and what is left to do.
  func print(_ globals: GlobalOptions) {
    for store in self {
      let name = Console.printable("\(store.remote) (\(store.address))")
      if !store.erased.isEmpty {
        globals.print(
          "Nothing is left of \(CairnCLI.count(store.erased.count, "erased image")) on \(name).")
      }
      if !store.kept.isEmpty {
        Console.print(
          "\(name) still has \(CairnCLI.count(store.kept.count, "erased image")), and cannot "
            + "delete them. Its administrator has to delete these objects:")
        for photo in store.kept { Console.print("  \(photo)") }
      }
      if !store.failed.isEmpty {
        let reason = store.failure.map { ": " + Console.printable(CairnError($0).message) } ?? "."
        Console.note(
          "\(CairnCLI.count(store.failed.count, "image")) not erased on \(name)\(reason)")
      }
    }
    if contains(where: { !$0.failed.isEmpty }) {
      Console.hint("The next `cairn pull` or `cairn push` tries again.")
    }
  }
}

extension [PhotoID] {
  fileprivate var rendered: JSON { .array(map { .string($0.description) }) }
}

extension Erasure {
  /// Who erased the image, when and why, and what image stores did, as JSON.
  var rendered: JSON {
    [
      "by": .string(erased.value.by.description), "reason": .string(erased.value.reason),
      "stamp": .string(erased.stamp.description),
      "stores": .object(
        JSONObject(
          stores.map {
            (
              $0.key,
              [
                "stamp": .string($0.value.stamp.description),
                "state": .string($0.value.value.rawValue),
              ]
            )
          })),
    ]
  }

  /// `erased 2026-11-26 12:00 by alice@example.org: recognizable face`, and a line for each store.
  var lines: [String] {
    let reason = Console.printable(erased.value.reason)
    return [
      "image \(Style.yellow("erased")) \(localTime(erased.stamp)) by "
        + "\(Console.printable(erased.value.by.identity)): \(reason)"
    ]
      + stores.sorted { $0.key < $1.key }.map { address, state in
        let text = state.value == .erased ? "nothing left of it" : "cannot delete it"
        return "  \(Console.printable(address)): \(text) (\(localTime(state.stamp)))"
      }
  }
}
