import Cairn

// The values of the library as JSON, for programs, and as lines of text, for people.

extension Label {
  var rendered: JSON {
    var object = json.object ?? [:]
    object["kind"] = nil
    object["photo"] = nil
    return .object(object)
  }
}

extension CairnError {
  var rendered: JSON {
    [
      "exitCode": JSON(Int(kind.exitCode)), "hint": JSON(hint), "kind": .string(kind.rawValue),
      "message": .string(message),
    ]
  }
}

extension [LabelResult] {
  var rendered: JSON {
    .array(
      map {
        [
          "changed": .bool($0.changed), "label": $0.label.rendered,
          "photo": .string($0.label.photo.description),
        ]
      })
  }
}

extension Resolution {
  var rendered: JSON {
    [
      "class": .string(classKey.text), "confidence": JSON(confidence), "name": .string(name),
      "reason": .string(reason.text), "state": .string(state.rawValue),
    ]
  }

  var color: Style {
    switch state {
    case .confirmed: .green
    case .rejected: .dim
    case .predicted: .cyan
    case .disputed: .red
    case .open: .yellow
    }
  }

  var line: String {
    "\(color(state.rawValue)) \(Style.bold(Console.printable(name))): "
      + Console.printable(reason.text)
  }
}

extension PhotoRecord {
  var rendered: JSON {
    var object: JSONObject = [
      "labels": .array(labels.map(\.rendered)), "photo": photo.rendered,
      "resolution": .array(resolution.map(\.rendered)),
      "visible": .bool(visibility.isVisible),
    ]
    if case .restored(let annotator) = visibility {
      object["restoredBy"] = .string(annotator.description)
    }
    return .object(object)
  }
}

extension Resolution.State {
  /// Returns a class in the form of a list of photos: `hemlock`, `oak? 0.83`, `elm!`; nil if it is
  /// rejected or open.
  func mark(_ name: String, _ confidence: Double) -> String? {
    switch self {
    case .confirmed: name
    case .predicted: "\(name)? \((confidence * 100).rounded() / 100)"
    case .disputed: "\(name)!"
    case .rejected, .open: nil
    }
  }
}

extension Photo {
  /// `taken`, `camera` and `place` are those of the image file; null if it does not have them.
  var rendered: JSON {
    [
      "bytes": JSON(image.bytes), "camera": JSON(image.camera), "caption": .string(caption.value),
      "credit": credit?.value?.rendered ?? .null,
      "format": .string(image.format.rawValue), "height": JSON(image.height),
      "id": .string(id.description),
      "keywords": .array(image.keywords.map { .string($0) }),
      "path": .string(DocumentPath.image(id, image.format).description),
      "pin": JSON(pin.value?.text), "place": image.location?.json ?? .null,
      "regions": .array(image.regions.map(\.json)), "removed": .bool(removed.value),
      "source": .string(source.value), "taken": JSON(image.taken?.description),
      "title": .string(title.value), "width": JSON(image.width),
    ]
  }
}

extension Photo {
  /// When the photo was taken, as precisely as its file or its source says: `2024-05-01T12:30:00`,
  /// `2019-06`.
  var takenText: String? {
    image.taken?.description ?? credit?.value?.taken?.description
  }
}

extension Pin {
  func rendered(photos: Int? = nil) -> JSON {
    var object: JSONObject = [
      "id": .string(id.text), "latitude": JSON(location.value.latitude),
      "longitude": JSON(location.value.longitude), "name": .string(name.value),
      "removed": .bool(removed.value),
    ]
    object["photos"] = photos.map { JSON($0) }
    return .object(object)
  }
}

extension [DocumentKind: Int] {
  var rendered: JSON {
    .object(JSONObject(map { ($0.key.rawValue, JSON($0.value)) }))
  }

  /// `2 photos, 5 labels`; “nothing” when empty.
  var text: String {
    let parts = DocumentKind.allCases.compactMap { kind in
      self[kind].map { counted($0, kind) }
    }
    return parts.isEmpty ? "nothing" : parts.joined(separator: ", ")
  }
}

/// Returns “1 photo”, “2 photos”, “2 classes”.
private func counted(_ number: Int, _ kind: DocumentKind) -> String {
  kind == .class && number != 1
    ? "\(number) classes" : count(number, kind == .dataset ? "manifest" : kind.rawValue)
}

/// Returns “1 image”, “2 images”.
func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
