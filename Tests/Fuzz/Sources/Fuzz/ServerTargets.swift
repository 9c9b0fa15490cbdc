@testable import CairnBase
@testable import CairnDocument
@testable import CairnGit
@testable import CairnHTTP
@testable import CairnImages
@testable import CairnStore
@testable import CairnTransport

/// Image URLs, and responses of image stores.
let serverTargets = [
  FuzzTarget("url") { input in
    let text = String(decoding: input, as: UTF8.self)
    precondition(
      PercentEncoding.decoded(PercentEncoding.encoded(text)) == text, "an encoded text changes")
    _ = (PercentEncoding.decoded(text), RemoteAddress.withoutSecret(text))
    _ = try ImageAddress(text)
  },
  FuzzTarget("lfsconfig") { input in
    var settings = GitSettings()
    settings.entries = [(key: "remote.origin.url", value: "https://example.org/walks.git")]
    settings.addImageURLs(try ConfigParser.entries(of: String(decoding: input, as: UTF8.self)))
    for direction in [ImageDirection.upload, .download] {
      _ = try settings.imageURL(ofRemote: "origin", direction).map { try ImageAddress($0) }
    }
  },
  FuzzTarget("http-headers") { input in
    var headers: HTTPHeaders = [:]
    for line in input.split(separator: UInt8(ascii: "\n")) {
      let parts = line.split(
        separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
      let value = parts.count > 1 ? String(decoding: parts[1], as: UTF8.self) : ""
      headers.add(String(decoding: parts[0], as: UTF8.self), value.trimmingSpaces())
    }
    let response = HTTPResponse(
      status: 401, headers: headers, url: "https://example.org/", body: input)
    _ = (response.authenticationSchemes, response.plainMessage, response.failure(now: 0))
    _ = (headers.isSafe, UploadPart.tag(in: response))
  },
  FuzzTarget("lfs") { input in
    for direction in [ImageDirection.upload, .download] {
      _ = try LFSBatch.statuses(
        input, direction, about: [image], from: WebAddress("https://example.org/lfs")!, now: 0)
    }
  },
  FuzzTarget("lfs-transfer") { input in
    var decoder = LFSTransferDecoder()
    var batch = LFSTransferBatch(now: 0)
    try forEachPiece(of: input) { piece in
      decoder.feed(piece)
      while let packet = try decoder.next() {
        if case .data(let line) = packet { try? batch.take(LFSTransferSession.text(line)) }
      }
    }
    for direction in [ImageDirection.upload, .download] {
      _ = batch.status(of: image, direction, at: "ssh://example.org/walks")
    }
  },
  FuzzTarget("s3") { input in
    let response = HTTPResponse(
      status: 400, headers: [:], url: "https://example.org/", body: input)
    let error = S3ErrorResponse(response, nil)
    _ = (error.code, error.region, error.isInOtherRegion)
    _ = S3XML.has("ListVersionsResult", in: input)
    for element in ["Contents", "DeleteMarker", "Part", "Upload", "Version"] {
      for content in S3XML.contents(of: element, in: input) {
        for name in ["ETag", "Initiated", "Key", "PartNumber", "UploadId", "VersionId"] {
          guard let text = S3XML.text(of: name, in: content) else { continue }
          let escaped = Array("<a>\(S3XML.escaped(text))</a>".utf8)
          precondition(S3XML.text(of: "a", in: escaped) == text, "an escaped text changes")
        }
      }
    }
  },
  FuzzTarget("webdav") { input in _ = WebDAVListing(input).entries },
  FuzzTarget("sftp") { input in
    var decoder = SFTPDecoder()
    try forEachPiece(of: input) { piece in
      decoder.feed(piece)
      while let packet = try decoder.next() { _ = try SFTPResponse.read(packet) }
    }
  },
  FuzzTarget("age") { input in
    _ = try? AgeIdentity.identities(inFile: String(decoding: input, as: UTF8.self))
    var decryptor = AgeDecryptor(identity)
    try forEachPiece(of: input) { try decryptor.append($0) { _ in } }
    try decryptor.finish { _ in }
  },
]

private let image = ImageObject(
  Pointer(id: PhotoID(String(repeating: "ab", count: 32))!, size: 5))

/// The key to which `seeds` encrypts.
private let identity = AgeIdentity(
  Bech32.text(prefix: "age-secret-key-", [UInt8](repeating: 1, count: 32)).uppercased())!
