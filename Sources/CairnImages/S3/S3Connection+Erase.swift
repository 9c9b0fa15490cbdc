internal import CairnDocument
internal import CairnHTTP
internal import CairnTransport

// Source: Amazon S3 API Reference, ListObjectVersions, DeleteObject, AbortMultipartUpload.

extension S3Connection {
  /// Deletes all versions of an image, also those that a deletion has hidden, and its unfinished
  /// uploads.
  func erase(_ image: ImageObject) throws -> RemoteErasure {
    let key = try session.lease().endpoint.key(of: image.id)
    if let versions = try versions(of: key) {
      for version in versions {
        let response = try exchange(
          S3Request(.delete, key: key, query: [("versionId", version)]))
        try requireDeleted(response)
      }
      guard try self.versions(of: key)?.isEmpty == true else { throw stillThere(image) }
    } else {
      try requireDeleted(try exchange(S3Request(.delete, key: key, query: [])))
      let response = try exchange(S3Request(.head, image.id))
      guard response.status == 404 else { throw stillThere(image) }
    }
    try abortUploads(of: key)
    return .erased
  }

  private func requireDeleted(_ response: HTTPResponse) throws {
    if response.status != 404 { try requireSuccess(response) }
  }

  private func stillThere(_ image: ImageObject) -> TransferError {
    TransferError(
      TransportError(.forbidden, address, "it still has image \(image.id.short)…"))
  }

  /// Maximum number of responses that list the versions of an object.
  private static let pageLimit = 1000

  /// Returns the ids of all versions of an object and of its deletions; nil if the server knows no
  /// versions.
  private func versions(of key: String) throws -> [String]? {
    var found: [String] = []
    var markers: [(name: String, value: String)] = []
    for _ in 0..<S3Connection.pageLimit {
      let response = try exchange(
        S3Request(.get, key: "", query: [("prefix", key), ("versions", "")] + markers))
      if [400, 405, 501].contains(response.status) { return nil }
      try requireSuccess(response)
      guard S3XML.has("ListVersionsResult", in: response.body) else { return nil }
      for element in ["Version", "DeleteMarker"] {
        for version in S3XML.contents(of: element, in: response.body)
        where S3XML.text(of: "Key", in: version) == key {
          guard let id = S3XML.text(of: "VersionId", in: version), 1...1024 ~= id.utf8.count else {
            throw invalidList
          }
          found.append(id)
        }
      }
      guard S3XML.text(of: "IsTruncated", in: response.body) == "true" else { return found }
      guard let next = S3XML.text(of: "NextKeyMarker", in: response.body) else {
        throw invalidList
      }
      markers = [("key-marker", next)]
      if let version = S3XML.text(of: "NextVersionIdMarker", in: response.body) {
        markers.append(("version-id-marker", version))
      }
    }
    throw invalidList
  }

  private var invalidList: TransferError {
    TransferError(
      TransportError(.protocolViolation, address, "its list of an object's versions is invalid"))
  }

  /// Deletes the parts of unfinished uploads of an object.
  private func abortUploads(of key: String) throws {
    let response = try exchange(
      S3Request(.get, key: "", query: [("prefix", key), ("uploads", "")]))
    // Some servers know no uploads in parts.
    if [400, 405, 501].contains(response.status) { return }
    try requireSuccess(response)
    for upload in S3XML.contents(of: "Upload", in: response.body)
    where S3XML.text(of: "Key", in: upload) == key {
      guard let id = S3XML.text(of: "UploadId", in: upload) else { continue }
      try requireDeleted(
        try exchange(S3Request(.delete, key: key, query: [("uploadId", id)])))
    }
    session.recordUpload(nil, for: key)
  }
}
