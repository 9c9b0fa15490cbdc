internal import CairnBase

/// The names that the file of an image may have on this disk, when an export names a URL: those
/// that people and download tools give.
enum ImageNames {
  /// The last components of URLs that name a size or nothing, not a photo.
  private static let sizes: Set<String> = [
    "original", "large", "medium", "small", "square", "thumb", "full", "image", "default", "file",
  ]
  private static let extensions = ["jpg", "jpeg", "png", "JPG"]

  /// Returns the parts of a URL's path with its host, decoded; nil when it is no URL.
  private static func parts(ofURL url: String) -> [Substring]? {
    guard let mark = url.firstRange(of: "://") else { return nil }
    return url[mark.upperBound...].prefix { $0 != "?" && $0 != "#" }.split(separator: "/")
      .map { Substring($0.percentDecoded) }.filter { $0 != "." && $0 != ".." }
  }

  /// Returns the ends of a URL's path with its host, the longest first: `host/a/b.jpg`, `a/b.jpg`,
  /// `b.jpg`. Returns the text itself when it is no URL.
  static func ends(ofURL url: String) -> [String] {
    guard let parts = parts(ofURL: url)?.suffix(8), !parts.isEmpty else { return [url] }
    return parts.indices.map { parts[$0...].joined(separator: "/") }
  }

  /// Returns what tells the image of a URL from others: its host and its path, without a last part
  /// that only names a size; nil when it is no URL.
  static func wholeName(ofURL url: String) -> String? {
    guard let parts = parts(ofURL: url) else { return nil }
    let stem = (parts.last ?? "").prefix { $0 != "." }.lowercased()
    return (sizes.contains(stem) ? parts.dropLast() : parts[...]).joined(separator: "/")
  }

  /// Returns the names of an image, the most specific first; empty when there is none.
  ///
  /// Example: `https://…/photos/251/large.jpeg?1` of the observation 7 may be `251.jpeg`,
  /// `photos/251/large.jpeg`, `251/large.jpeg`, `7_251.jpeg`, `7.jpeg` or `7.jpg`.
  /// - Parameter id: The id of the observation or occurrence.
  static func candidates(url: String?, id: String?) -> [String] {
    var names: [String] = []
    func add(_ name: String) { if !names.contains(name) { names.append(name) } }
    var suffix: String?
    if let url, !url.isEmpty {
      guard let parts = parts(ofURL: url).map({ Array($0.dropFirst()) }) else {
        return [url] + candidates(url: nil, id: id)
      }
      let last = parts.last ?? ""
      let dot = last.lastIndex(of: ".")
      let stem = dot.map { last[..<$0] } ?? last
      suffix = dot.map { String(last[last.index(after: $0)...]) }
      if parts.count > 1, sizes.contains(stem.lowercased()) {
        let parent = parts[parts.count - 2]
        let name = suffix.map { "\(parent).\($0)" } ?? "\(parent).jpg"
        add(name)
        if let id { add("\(id)_\(name)") }
        if parts.count > 2 { add(parts.suffix(3).joined(separator: "/")) }
        add("\(parent)/\(last)")
      } else if !last.isEmpty {
        add(String(last))
        if let id { add("\(id)_\(last)") }
        if dot == nil { for suffix in extensions { add("\(last).\(suffix)") } }
      }
    }
    if let id, !id.isEmpty {
      for suffix in [suffix].compactMap({ $0 }) + extensions { add("\(id).\(suffix)") }
    }
    return names
  }
}
