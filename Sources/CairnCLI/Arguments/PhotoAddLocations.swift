import Cairn

/// Splits what is to be added into addresses of the web and paths of this disk.
///
/// - Throws: ``CairnError`` where something looks like an address and is none that can be asked for.
func splitLocations(_ words: [String]) throws -> (locations: [WebLocation], paths: [String]) {
  var (locations, paths): ([WebLocation], [String]) = ([], [])
  for word in words {
    if let location = WebLocation(word) {
      locations.append(location)
    } else if word.contains("://") {
      throw CairnError(
        .invalidInput,
        "“\(WebLocation.withoutSecrets(word))” is no address that photos can be fetched from.",
        hint: "It begins with https:// or http:// and has no user and no password.")
    } else {
      paths.append(word)
    }
  }
  return (locations, paths)
}

extension AddedLocation {
  var rendered: JSON {
    [
      "file": .string(location.description), "id": JSON(id?.description), "note": JSON(note),
      "status": .string(status.rawValue),
    ]
  }

  /// What became of it, for people; nil where there is nothing to say.
  var line: String? {
    switch status {
    case .added: "added \(id?.short ?? "") \(Console.printable(location.description))"
    case .failed: "\(Style.red("not added")): \(Console.printable(note ?? ""))"
    default: nil
    }
  }
}
