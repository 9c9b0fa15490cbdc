internal import CairnDocument

/// A reader of WebDataset archives: the files of a sample follow each other and have the same name up
/// to the first dot; an image, `.cls` with the number or name of its class, `.txt` with its caption,
/// and `.json` with its labels and metadata, in the form that ``PhotoObjectReader`` reads.
///
/// `classes.txt` beside the archives has the names of the numbers. Source: WebDataset, “The
/// WebDataset format”; img2dataset for the members of `.json`.
struct WebDatasetReader {
  private let source: ImportReader

  init(_ source: ImportReader) { self.source = source }

  private struct Sample {
    let key: String
    var image: TarArchive.Member?
    var members: [(suffix: String, member: TarArchive.Member)] = []
  }

  /// The maximum size in bytes of a member other than the image.
  private static let textLimit = 16 << 20

  func read() throws {
    let paths = try source.file.map { [$0] } ?? source.paths(["tar"])
    if paths.isEmpty { throw FormatError(source.location, "it contains no tar archive") }
    let classes = (try source.lines(of: "classes.txt") ?? []).map { $0.trimmingSpaces() }
    for path in paths { try read(path, classes) }
  }

  private func read(_ path: String, _ classes: [String]) throws {
    try source.withBytes(of: path) { bytes in
      var archive = TarArchive(bytes)
      var progress = ImportReader.ReadProgress(bytes)
      var sample: Sample?
      do {
        while let member = try archive.next() {
          let (key, suffix) = WebDatasetReader.split(member.name)
          // WebDataset's own files, and those of macOS.
          if key.isEmpty || key.hasPrefix("__") || member.name.contains("/._") { continue }
          if sample?.key != key {
            if let sample { try pass(sample, bytes, path, classes) }
            progress.advance(to: member.range.lowerBound)
            sample = Sample(key: key)
          }
          if imageExtensions.contains(suffix), sample?.image == nil {
            sample?.image = member
          } else {
            sample?.members.append((suffix, member))
          }
        }
      } catch let error as TarArchive.Failure {
        try source.problem(ImportedLocation(path), error.message)
      }
      if let sample { try pass(sample, bytes, path, classes) }
    }
  }

  /// Returns the key and the lowercase suffix of a name: the suffix starts at the first dot of the
  /// last component.
  private static func split(_ name: String) -> (key: String, suffix: String) {
    let start = name.lastIndex(of: "/").map { name.index(after: $0) } ?? name.startIndex
    guard let dot = name[start...].firstIndex(of: "."), dot > start else { return ("", "") }
    return (String(name[..<dot]), name[name.index(after: dot)...].lowercased())
  }

  /// Passes on a photo with its labels.
  private func pass(
    _ sample: Sample, _ bytes: UnsafeBufferPointer<UInt8>, _ path: String, _ classes: [String]
  ) throws {
    guard let image = sample.image else { return source.ignore("samples without an image") }
    let name = String(image.name.split(separator: "/").last ?? "")
    let location = ImportedLocation("\(path)/\(image.name)")
    var photo = ImportedPhoto("\(path)/\(image.name)", location: location)
    photo.id = PhotoID(String(sample.key.split(separator: "/").last ?? ""))
    for (suffix, member) in sample.members {
      guard member.range.count <= WebDatasetReader.textLimit else {
        try source.problem(location, "“.\(suffix)” is larger than 16 MiB")
        continue
      }
      let content = bytes[member.range]
      if suffix == "json" {
        guard let read = try readJSON(Array(content), into: photo) else { return }
        photo = read
      } else if suffix == "txt" {
        photo.metadata.caption = String(decoding: content, as: UTF8.self).trimmingSpaces()
      } else if suffix != "cls" {
        source.ignore("files “.\(suffix.prefix(32))” of samples")
      }
    }
    // `.json` has all labels of a photo, of which `.cls` is one.
    if photo.labels.isEmpty, let label = sample.members.first(where: { $0.suffix == "cls" }) {
      let content = withoutByteOrderMark(bytes[label.member.range])
      guard content.count <= ImportReader.textLimit,
        let text = String(validating: content, as: UTF8.self)
      else { return try source.problem(location, "“.cls” is not a name in UTF-8") }
      guard try addClass(text.trimmingSpaces(), classes, to: &photo) else { return }
    }
    photo.metadata.source = photo.metadata.source ?? name
    try source.withTemporaryFile(
      UnsafeBufferPointer(rebasing: bytes[image.range])
    ) { file in
      photo.content = file
      try source.photo(photo)
    }
  }

  /// Adds the class of `.cls`; returns false after reporting a number without a name.
  private func addClass(
    _ text: String, _ classes: [String], to photo: inout ImportedPhoto
  ) throws -> Bool {
    guard let number = Int(text) else {
      if !text.isEmpty { photo.labels.append(ImportedLabel(text)) }
      return true
    }
    if number == -1 { return true }
    guard classes.indices.contains(number), !classes[number].isEmpty else {
      try source.problem(
        photo.location,
        "the class \(number) has no name; write the names in classes.txt next to the archive")
      return false
    }
    photo.labels.append(ImportedLabel(classes[number]))
    return true
  }

  private func readJSON(_ bytes: [UInt8], into photo: ImportedPhoto) throws -> ImportedPhoto? {
    do {
      guard let object = try JSON(bytes: bytes).object else {
        try source.problem(photo.location, "“.json” is not an object")
        return nil
      }
      return try PhotoObjectReader(source).photo(photo, of: object)
    } catch let error as DocumentError {
      try source.problem(photo.location, "“.json”: \(error.message)")
      return nil
    }
  }
}
