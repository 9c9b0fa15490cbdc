internal import Cairn
internal import CairnBase
internal import Crypto
internal import HTTPTypes

/// Everything about one photo.
struct PhotoDetail: Sendable {
  let row: PhotoRow
  let explanation: Explanation
  let me: [Annotator]
  let pin: Pin?

  /// Changes with every label and field of the photo: a digest, and the stamp of the latest label.
  var version: String {
    var hash = SHA256()
    hash.update(data: explanation.record.photo.members.canonicalBytes)
    for label in explanation.record.labels.sorted(by: { "\($0.name)" < "\($1.name)" }) {
      hash.update(data: label.json.canonicalBytes)
    }
    let latest = explanation.record.labels.map(\.stamp).max()
    return "\(PhotoDetail.text(hash.finalize())).\(latest?.description ?? "")"
  }

  /// Returns the person whose label is the latest, if it is later than a version and by somebody
  /// else.
  func labeler(after version: String) -> Annotator? {
    let parts = version.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let last = explanation.record.labels.max(by: { $0.stamp < $1.stamp }),
      last.annotator.isHuman, !me.contains(last.annotator)
    else { return nil }
    // Empty if there was no label.
    let read = Stamp(String(parts[1]))
    return read.map { $0 < last.stamp } ?? parts[1].isEmpty ? last.annotator : nil
  }

  static func text(_ digest: SHA256Digest) -> String { Hex.text(Array(digest.prefix(10))) }

  func json(color: MeanColor?) -> JSON {
    let (photo, rules) = (explanation.record.photo, explanation.rules)
    var restoredBy: String?
    if case .restored(let annotator) = explanation.record.visibility {
      restoredBy = annotator.description
    }
    let classes = explanation.classes.filter { $0.classKey != .favorite }
      .sorted { ($1.confidence, $0.classKey) < ($0.confidence, $1.classKey) }
    let listed =
      classes.filter { $0.state != .rejected } + classes.filter { $0.state == .rejected }
    let sets = Set(classes.compactMap { rules.classes.set(of: $0.classKey) }).sorted()
    return [
      "altitude": photo.image.location?.altitude.map { JSON($0) } ?? .null,
      "boxes": .array(boxes), "bytes": JSON(photo.image.bytes),
      "camera": JSON(photo.image.camera), "caption": .string(photo.caption.value),
      "classes": .array(listed.map(json)), "credit": photo.credit?.value?.summary ?? .null,
      "fileLocation": photo.image.location?.coordinate.json ?? .null,
      "format": .string(photo.image.format.rawValue),
      "path": .string(DocumentPath.image(photo.id, photo.image.format).description),
      "photo": row.json(color: color), "pinName": JSON(pin?.name.value),
      "restoredBy": JSON(restoredBy),
      "sets": .array(
        sets.map { set in
          let members = rules.classes.all.filter {
            !$0.removed.value && rules.classes.canonicalKey(of: $0.key) == $0.key
              && rules.classes.set(of: $0.key) == set
          }
          return [
            "classes": .array(members.map(\.key).sorted().map { .string($0.text) }),
            "set": .string(set.text),
          ]
        }), "source": .string(photo.source.value), "title": .string(photo.title.value),
      "version": .string(version),
      "visible": .bool(explanation.record.visibility.isVisible),
    ]
  }

  func json(_ resolution: Resolution) -> JSON {
    let mine = resolution.evidence.last {
      me.contains($0.label.annotator) && $0.label.verdict != .withdrawn
    }
    return [
      "class": .string(resolution.classKey.text), "confidence": JSON(resolution.confidence),
      "estimate": explanation.estimatedPresence(of: resolution.classKey)
        .map { ["present": JSON($0)] } ?? .null,
      "evidence": .array(
        resolution.evidence.map { $0.json(explanation.rules.reason($0)) }),
      "mine": JSON(mine?.label.verdict.rawValue), "name": .string(resolution.name),
      "reason": .string(resolution.reason.text),
      "set": JSON(explanation.rules.classes.set(of: resolution.classKey)?.text),
      "state": .string(resolution.state.rawValue),
    ]
  }

  private var boxes: [JSON] {
    explanation.record.labels.compactMap { label in
      guard let region = label.region, label.verdict == .present else { return nil }
      return [
        "annotator": label.annotator.json, "box": region.box.json,
        "class": .string(explanation.rules.classes.canonicalKey(of: label.classKey).text),
        "confidence": JSON(label.confidence), "crowd": .bool(region.isCrowd),
        "label": .string("\(label.name)"),
        "mine": .bool(me.contains(label.annotator)),
        "polygons": region.polygons.isEmpty ? .null : region.polygons.json,
        "region": .string(region.id.description),
        "time": label.stamp.json,
      ]
    }
  }
}

extension Evidence {
  func json(_ reason: String) -> JSON {
    [
      "annotator": annotator.json, "box": label.region?.box.json ?? .null,
      "confidence": JSON(label.confidence), "counts": .bool(status.counts),
      "label": .string("\(label.name)"), "reason": .string(reason), "run": JSON(label.run?.text),
      "source": JSON(label.source), "status": .string(status.code), "text": JSON(label.text),
      "time": label.stamp.json, "verdict": .string(label.verdict.rawValue),
    ]
  }
}

extension Annotator {
  var json: JSON {
    [
      "id": .string(description), "kind": isHuman ? "person" : "model",
      "name": .string(identity),
    ]
  }
}

extension NormalizedRect {
  var json: JSON {
    ["height": JSON(height), "width": JSON(width), "x": JSON(x), "y": JSON(y)]
  }

  init(_ json: JSON?) throws {
    guard let x = json?["x"]?.double, let y = json?["y"]?.double,
      let width = json?["width"]?.double, let height = json?["height"]?.double
    else { throw ServeError.invalid("“box” must have x, y, width and height.") }
    self.init(x: x, y: y, width: width, height: height)
  }
}

extension Stamp {
  /// The time; null for a label outside of any run, which has none.
  var json: JSON {
    isTimeless ? .null : .string(RFC3339.text(milliseconds: milliseconds))
  }
}

extension Credit {
  var summary: JSON {
    [
      "author": JSON(author), "license": JSON(license), "source": JSON(service),
      "title": JSON(title), "url": JSON(page ?? url),
    ]
  }
}

extension Dataset {
  func detail(of id: PhotoID) throws -> PhotoDetail {
    let explanation = try explanation(of: id)
    let me = try ownAnnotators()
    guard let row = try rows(of: [id]).first else {
      // A photo that was just added is not in the index yet.
      try updateIndex()
      guard let row = try rows(of: [id]).first else {
        throw ServeError(
          status: .notFound, kind: "not-found", message: "There is no photo \(id.short)….")
      }
      return PhotoDetail(row: row, explanation: explanation, me: me, pin: nil)
    }
    let pin = try explanation.record.photo.pin.value.flatMap { try pinIfPresent($0) }
    return PhotoDetail(row: row, explanation: explanation, me: me, pin: pin)
  }
}
