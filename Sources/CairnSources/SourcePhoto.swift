package import CairnDocument
package import SystemPackage

/// A photo offered by a source, with its metadata.
package struct SourcePhoto: Sendable, Equatable {
  package enum Location: Sendable, Equatable {
    case web(WebLocation)
    case file(FilePath)
  }

  /// The location of the image.
  package var image: Location
  /// The URL of the image as uploaded.
  package var original: String?
  /// The source's id of the photo; empty if it has none.
  package var id = ""
  /// Its title.
  package var title: String?
  /// The name of its author.
  package var author: String?
  /// Its license.
  package var license: License?
  /// The URL of the photo's page.
  package var page: String?
  /// Where it was taken, as far as the source tells it.
  package var location: ReportedLocation?
  /// When it was taken, as precisely as the source knows it.
  package var taken: ReportedTime?
  /// The classes according to the source: for each class its possible names, best first.
  package var classes: [[String]] = []

  package init(_ image: Location) { self.image = image }

  /// Returns the credit stored in the photo's document: shared with the dataset, and therefore
  /// without secrets in URLs.
  package func credit(from source: SourceName) -> Credit {
    var credit = Credit()
    (credit.author, credit.title) = (author, title)
    credit.page = page.map(WebLocation.withoutSecrets)
    credit.license = license?.text
    credit.service = source.rawValue
    (credit.location, credit.taken) = (location, taken)
    credit.url = (original ?? address).map(WebLocation.withoutSecrets)
    return credit
  }

  /// The URL of the image; nil for a file on this disk.
  package var address: String? {
    if case .web(let location) = image { location.text } else { nil }
  }

  /// The name in messages: the title, otherwise the location.
  package var name: String {
    if let title { return title }
    switch image {
    case .web(let location): return location.description
    case .file(let path): return path.string
    }
  }

  /// The keys that identify the photo without comparing bytes.
  var keys: [String] { SourcePhoto.keys(page: page, urls: [original, address]) }

  /// Returns the keys that identify a photo fetched before: the URLs of its page and of its image,
  /// regardless of the source.
  package static func keys(of credit: Credit) -> [String] {
    keys(page: credit.page, urls: [credit.url])
  }

  private static func keys(page: String?, urls: [String?]) -> [String] {
    ([page] + urls).compactMap { $0.map(key) }.reduce(into: []) {
      if !$0.contains($1) { $0.append($1) }
    }
  }

  /// Normalizes a URL, which may vary in scheme (http or https), trailing slash and signature.
  package static func key(_ address: String) -> String {
    var text = WebLocation.withoutSignature(address)[...]
    for scheme in ["https://", "http://"] where text.lowercased().hasPrefix(scheme) {
      text = text.dropFirst(scheme.count)
    }
    while text.hasSuffix("/") { text.removeLast() }
    let host = text.prefix { $0 != "/" }
    return host.lowercased() + text.dropFirst(host.count)
  }
}
