import Cairn

extension ClassEdit {
  /// Prints the class as JSON; or for people `message`, if the class was changed.
  func print(_ globals: GlobalOptions, _ message: String) {
    Console.printChange(globals, .object(members)) {
      Console.print(changed ? Console.printable(message) : unchanged)
    }
  }

  /// Prints what a dry run found: the class as it would be, and a number of photos, as JSON; or for
  /// people `sentence`, if the class would be changed.
  func printDryRun(_ globals: GlobalOptions, photos: Int, _ sentence: String) {
    var members = self.members
    members["photos"] = JSON(photos)
    Console.printDryRun(
      globals, members, [changed ? Console.printable(sentence) : unchanged])
  }

  private var members: JSONObject {
    [
      "aliasOf": JSON(labelClass.aliasOf?.value?.text), "changed": .bool(changed),
      "key": .string(labelClass.key.text), "name": .string(labelClass.name.value),
      "removed": .bool(labelClass.removed.value), "set": JSON(labelClass.set?.value?.text),
    ]
  }

  private var unchanged: String {
    "“\(Console.printable(labelClass.name.value))” (\(labelClass.key)) is unchanged."
  }
}

extension Dataset {
  /// Returns the number of photos with a class, removed or not.
  func photoCount(of key: ClassKey) throws -> Int {
    try classes(includingRemoved: true).first { $0.labelClass.key == key }?.photos ?? 0
  }
}
