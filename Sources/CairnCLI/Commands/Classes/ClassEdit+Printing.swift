import Cairn

extension ClassEdit {
  /// Prints the class as JSON; or for people `message`, if the class was changed.
  func print(_ globals: GlobalOptions, _ message: String) {
    Console.printChange(
      globals,
      [
        "aliasOf": JSON(labelClass.aliasOf?.value?.text), "changed": .bool(changed),
        "key": .string(labelClass.key.text), "name": .string(labelClass.name.value),
        "removed": .bool(labelClass.removed.value), "set": JSON(labelClass.set?.value?.text),
      ]
    ) {
      let name = Console.printable(labelClass.name.value)
      Console.print(
        changed ? Console.printable(message) : "“\(name)” (\(labelClass.key)) is unchanged.")
    }
  }
}

extension Dataset {
  /// Returns the number of photos with a class, removed or not.
  func photoCount(of key: ClassKey) throws -> Int {
    try classes(includingRemoved: true).first { $0.labelClass.key == key }?.photos ?? 0
  }
}
