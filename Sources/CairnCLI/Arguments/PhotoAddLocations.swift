import Cairn

/// Splits the arguments of `cairn photo add` into URLs and local paths.
///
/// - Throws: ``CairnError`` if an argument looks like a URL but cannot be fetched.
func splitLocations(_ arguments: [String]) throws -> (locations: [WebLocation], paths: [String]) {
  var (locations, paths): ([WebLocation], [String]) = ([], [])
  for argument in arguments {
    if let location = WebLocation(argument) {
      locations.append(location)
    } else if argument.contains("://") {
      throw CairnError(
        .invalidInput,
        "“\(WebLocation.withoutSecrets(argument))” is not a URL that photos can be fetched from.",
        hint: "It must begin with https:// or http:// and have no user name and password.")
    } else {
      paths.append(argument)
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

  /// Describes the result for people; nil for a photo that was already known.
  var line: String? {
    switch status {
    case .added: "added \(id?.short ?? "") \(Console.printable(location.description))"
    case .failed: "\(Style.red("not added")): \(Console.printable(note ?? ""))"
    default: nil
    }
  }
}
