internal import CairnBase
internal import CairnHTTP

/// What a WebDAV server reports of its files: the answer to PROPFIND.
///
/// Servers choose the prefixes of names themselves, so only the part after the colon counts. Source:
/// RFC 4918, sections 9.1 and 14.
struct WebDAVListing {
  struct Entry: Equatable {
    /// The last component of the path.
    var name = ""
    var isCollection = false
    /// In bytes; nil if it is not reported.
    var size: Int?
    /// In milliseconds since 1970; nil if it is not reported.
    var modified: Int64?
  }

  /// The request for the properties of an entry.
  static let request = Array(
    """
    <?xml version="1.0" encoding="utf-8"?>
    <d:propfind xmlns:d="DAV:"><d:prop><d:getcontentlength/><d:getlastmodified/>\
    <d:resourcetype/></d:prop></d:propfind>
    """.utf8)

  private(set) var entries: [Entry] = []

  init(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while let start = rest.firstIndex(of: UInt8(ascii: "<")),
      let end = rest[start...].firstIndex(of: UInt8(ascii: ">"))
    {
      let tag = rest[(start + 1)..<end]
      rest = rest[(end + 1)...]
      let text = String(decoding: rest.prefix { $0 != UInt8(ascii: "<") }, as: UTF8.self)
      add(WebDAVListing.localName(of: tag), WebDAVListing.trimmed(text))
    }
  }

  private mutating func add(_ element: String, _ text: String) {
    if element == "response" { return entries.append(Entry()) }
    guard !entries.isEmpty else { return }
    let last = entries.count - 1
    switch element {
    case "href" where entries[last].name.isEmpty:
      entries[last].name = text.split(separator: "/").last?.percentDecoded ?? ""
    case "collection": entries[last].isCollection = true
    case "getcontentlength": entries[last].size = Int(text) ?? entries[last].size
    case "getlastmodified":
      entries[last].modified = HTTPDate.milliseconds(text) ?? entries[last].modified
    default: break
    }
  }

  /// Returns the name of a start tag without its prefix; empty for an end tag.
  private static func localName(of tag: ArraySlice<UInt8>) -> String {
    if tag.first == UInt8(ascii: "/") { return "" }
    let name = tag.prefix { !" \t\r\n/".utf8.contains($0) }
    return String(decoding: name.split(separator: UInt8(ascii: ":")).last ?? [], as: UTF8.self)
  }

  private static func trimmed(_ text: String) -> String {
    String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
  }
}
