package import CairnDocument

/// dog.ceo: photos of dogs by breed, most of them from the Stanford Dogs dataset.
///
/// A cursor is a path of the API, or `random` and a number. Source:
/// ElliottLandsborough/dog-ceo-api, readme.md.
package struct DogCEO: PhotoSource {
  package let name = SourceName.dogCEO
  private let credentials: SourceCredentials

  package init(_ credentials: SourceCredentials) { self.credentials = credentials }

  private static let breeds = "breeds/list/all"
  private static let random = "random/"
  /// Random draws repeat, and never end by themselves.
  private static let drawLimit = 40

  package func step(
    _ query: SourceQuery, after cursor: String?
  ) throws(SourceError) -> SourceResult {
    if query.area != nil {
      throw SourceError(.unsupportedQuery, name.title, "does not provide locations")
    }
    if query.licenses != nil {
      throw SourceError(.unsupportedQuery, name.title, "does not provide licenses")
    }
    let path =
      switch cursor {
      case nil: query.text == nil ? "breeds/image/random/50" : DogCEO.breeds
      case let cursor? where cursor.hasPrefix(DogCEO.random): "breeds/image/random/50"
      case let cursor?: cursor
      }
    return .request(url: credentials.url + path, headers: [:])
  }

  package func page(
    _ response: JSON, _ query: SourceQuery, after cursor: String?
  ) throws(SourceError) -> SourcePage {
    guard response["status"]?.string == "success", let message = response["message"] else {
      throw SourceError(.invalidResponse, name.title, "returned no message")
    }
    if cursor == nil, let text = query.text {
      return SourcePage([], next: try path(ofBreed: text, in: message))
    }
    guard let urls = message.array else {
      throw SourceError(.invalidResponse, name.title, "returned no list of URLs")
    }
    let photos = urls.compactMap { $0.string.flatMap { WebLocation($0) }.map(photo) }
    if query.text != nil { return SourcePage(photos) }
    let draw = cursor.flatMap { Int($0.dropFirst(DogCEO.random.count)) } ?? 1
    let hasMore = draw < DogCEO.drawLimit && !photos.isEmpty
    return SourcePage(photos, next: hasMore ? DogCEO.random + "\(draw + 1)" : nil)
  }

  package func rejection(_ response: JSON) -> SourceRejection? {
    guard response["status"]?.string == "error" else { return nil }
    let message = "reported “\(response["message"]?.line ?? "an error")”"
    return SourceRejection(response["code"]?.decimal == 404 ? .notFound : .refused, message)
  }

  /// Returns the API path of a breed's images: “cairn terrier”, “terrier-cairn”, “hound”.
  private func path(ofBreed text: String, in list: JSON) throws(SourceError) -> String {
    let wanted = Set(DogCEO.words(text))
    for (breed, subBreeds) in list.object?.members ?? [] where DogCEO.isPlain(breed) {
      if wanted == [breed] { return "breed/\(breed)/images" }
      for sub in subBreeds.array ?? [] {
        guard let sub = sub.string, DogCEO.isPlain(sub) else { continue }
        if wanted == [breed, sub] { return "breed/\(breed)/\(sub)/images" }
      }
    }
    throw SourceError(
      .notFound, name.title, "has no breed “\(SourceText.line(text) ?? "")”")
  }

  private static func words(_ text: String) -> [String] {
    text.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init)
  }

  private static func isPlain(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= 64 && text.utf8.allSatisfy { 97...122 ~= $0 }
  }

  /// Returns the breed on a photo from this source; nil when neither title nor URL contains it.
  package static func breed(of credit: Credit) -> String? {
    credit.title ?? credit.url.flatMap { WebLocation($0) }.flatMap { directory(of: $0) }.map(breed)
  }

  /// Returns the directory of an image, which is named after its breed; nil when it has none.
  private static func directory(of image: WebLocation) -> String? {
    let parts = image.text.split(separator: "/").suffix(2)
    guard parts.count == 2, parts[parts.startIndex].utf8.allSatisfy({ 97...122 ~= $0 || $0 == 45 })
    else { return nil }
    return String(parts[parts.startIndex])
  }

  private static func breed(_ directory: String) -> String {
    directory.split(separator: "-").reversed().joined(separator: " ")
  }

  /// Creates a photo from its URL: the directory is the breed, the start of the file name its
  /// WordNet id: `…/breeds/terrier-cairn/n02096177_1003.jpg`.
  private func photo(_ image: WebLocation) -> SourcePhoto {
    var photo = SourcePhoto(.web(image))
    guard let directory = DogCEO.directory(of: image),
      let file = image.text.split(separator: "/").last
    else { return photo }
    photo.id = "\(directory)/\(file)"
    let breed = DogCEO.breed(directory)
    photo.title = breed
    let number = file.prefix { $0 != "_" }
    let isNumber = number.utf8.count == 9 && number.first == "n"
    photo.classes = [[breed, directory] + (isNumber ? [String(number)] : [])]
    return photo
  }
}
