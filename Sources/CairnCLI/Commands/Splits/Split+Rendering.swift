import Cairn

extension Split {
  func rendered(_ name: String) -> JSON {
    [
      "by": isByPin ? "pin" : "photo", "name": .string(name),
      "parts": .object(JSONObject(subsets.map { ($0.name, JSON($0.share)) })),
      "salt": .string(salt),
    ]
  }

  func line(_ name: String) -> String {
    "\(Console.printable(name)): \(text) by \(isByPin ? "pin" : "photo")"
      + (salt.isEmpty ? "" : ", salt \(Console.printable(salt))")
  }
}
