@testable import CairnDocument
@testable import CairnHTTP
@testable import CairnImages
@testable import CairnStore
@testable import CairnTransport

/// Responses of image stores.
let serverTargets = [
  FuzzTarget("lfs") { input in
    let id = PhotoID(String(repeating: "ab", count: 32))!
    let image = ImageObject(Pointer(id: id, size: 5))
    for direction in [ImageDirection.upload, .download] {
      _ = try LFSBatch.statuses(
        input, direction, about: [image], from: WebAddress("https://example.org/lfs")!, now: 0)
    }
  },
  FuzzTarget("s3") { input in
    let response = HTTPResponse(
      status: 400, headers: [:], url: "https://example.org/", body: input)
    let error = S3ErrorResponse(response, nil)
    _ = (error.code, error.region, error.isInOtherRegion)
    _ = S3XML.has("ListVersionsResult", in: input)
    for version in S3XML.contents(of: "Version", in: input) {
      _ = (S3XML.text(of: "Key", in: version), S3XML.text(of: "VersionId", in: version))
    }
  },
  FuzzTarget("webdav") { input in _ = WebDAVListing(input).entries },
  FuzzTarget("sftp") { input in
    var decoder = SFTPDecoder()
    try input.withUnsafeBytes { bytes in
      for start in stride(from: 0, to: bytes.count, by: 7) {
        decoder.feed(UnsafeRawBufferPointer(rebasing: bytes[start..<min(start + 7, bytes.count)]))
        while let packet = try decoder.next() { _ = try SFTPResponse.read(packet) }
      }
    }
  },
]
