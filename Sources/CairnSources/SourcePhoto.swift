public import CairnDocument
public import SystemPackage

/// A photo that a source offers, with what it says of it.
public struct SourcePhoto: Sendable, Equatable {
  public enum Place: Sendable, Equatable {
    case web(WebLocation)
    case file(FilePath)
  }

  /// Where its bytes are.
  public var image: Place
  /// The address of the image as it was uploaded.
  public var original: String?
  /// What the source calls it; empty where it has no id.
  public var id = ""
  public var title: String?
  public var author: String?
  public var licence: Licence?
  /// The address of the page that shows it.
  public var page: String?
  public var position: Coordinate?
  public var taken: CaptureTime?
  /// What is on it, as the source says: of each class the names that may be known, the best first.
  public var classes: [[String]] = []

  public init(_ image: Place) { self.image = image }

  /// Where the photo came from, as its document keeps it: for all who get the dataset, and so without
  /// what lets in whoever has the address.
  public func credit(from source: SourceName) -> Credit {
    var credit = Credit()
    (credit.author, credit.title) = (author, title)
    credit.page = page.map(WebLocation.withoutSecrets)
    credit.licence = licence?.text
    credit.service = source.rawValue
    credit.url = (original ?? address).map(WebLocation.withoutSecrets)
    return credit
  }

  /// The address that its bytes come from; nil for a file of this disk.
  public var address: String? {
    if case .web(let location) = image { location.text } else { nil }
  }

  /// What it is called in a message: its title, or where it is.
  public var name: String {
    if let title { return title }
    switch image {
    case .web(let location): return location.description
    case .file(let path): return path.string
    }
  }

  /// What makes two photos the same without a look at their bytes.
  var keys: [String] { SourcePhoto.keys(page: page, urls: [original, address]) }

  /// Returns what tells that a photo was fetched before: the addresses of its page and of its image,
  /// whichever source names them.
  public static func keys(of credit: Credit) -> [String] {
    keys(page: credit.page, urls: [credit.url])
  }

  private static func keys(page: String?, urls: [String?]) -> [String] {
    ([page] + urls).compactMap { $0.map(key) }.reduce(into: []) {
      if !$0.contains($1) { $0.append($1) }
    }
  }

  /// One address may be written with http or https, with a slash at its end or without, and signed anew.
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
