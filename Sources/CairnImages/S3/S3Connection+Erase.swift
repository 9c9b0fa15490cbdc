internal import CairnDocument
internal import CairnHTTP
internal import CairnTransport

// Source: Amazon S3 API Reference, ListObjectVersions, DeleteObject, AbortMultipartUpload.

extension S3Connection {
  /// Deletes all versions of an image, also those that a deletion has hidden, and its unfinished
  /// uploads.
  func erase(_ image: ImageObject) throws -> RemoteErasure {
    let key = try session.lease().endpoint.key(of: image.id)
    if try !deleteVersions(of: key) || isObject(image, isListed: true) {
      try requireDeleted(try exchange(S3Request(.delete, key: key, query: [])))
      // In a bucket with versions, this deletion is one.
      try deleteVersions(of: key)
    }
    guard try !hasVersion(image, key) else { throw stillThere(image) }
    for id in try uploads(of: key) {
      try requireDeleted(try exchange(S3Request(.delete, key: key, query: [("uploadId", id)])))
    }
    session.recordUpload(nil, for: key)
    return .erased
  }

  /// A deletion in a bucket with versions only hides the object.
  func has(_ image: ImageObject) throws -> Bool {
    let key = try session.lease().endpoint.key(of: image.id)
    return try hasVersion(image, key, ["Version"]) || !uploads(of: key).isEmpty
  }

  /// Deletes all listed versions of an object, and returns whether the server knows versions.
  @discardableResult
  private func deleteVersions(of key: String) throws -> Bool {
    guard let versions = try versions(of: key) else { return false }
    for version in versions {
      try requireDeleted(
        try exchange(S3Request(.delete, key: key, query: [("versionId", version)])))
    }
    return true
  }

  /// Whether any version of an image is listed, or an object has its name: OpenStack Swift may list a
  /// new object only after a while.
  private func hasVersion(
    _ image: ImageObject, _ key: String, _ elements: [String] = ["Version", "DeleteMarker"]
  ) throws -> Bool {
    let versions = try versions(of: key, elements)
    return try versions?.isEmpty == false || isObject(image, isListed: versions != nil)
  }

  /// Whether an object has the name of an image.
  ///
  /// - Parameter isListed: Whether the list of versions is known, which counts where a missing object is
  ///   reported as denied, for lack of a permission to list objects.
  private func isObject(_ image: ImageObject, isListed: Bool) throws -> Bool {
    let response = try exchange(S3Request(.head, image.id))
    if response.status == 404 || isListed && response.status == 403 { return false }
    try requireSuccess(response)
    return true
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

  /// Returns the ids of all versions of an object, and of its deletions; nil if the server knows no
  /// versions.
  private func versions(
    of key: String, _ elements: [String] = ["Version", "DeleteMarker"]
  ) throws -> [String]? {
    var found: [String] = []
    var markers: [(name: String, value: String)] = []
    for _ in 0..<S3Connection.pageLimit {
      let response = try exchange(
        S3Request(.get, key: "", query: [("prefix", key), ("versions", "")] + markers))
      if [400, 405, 501].contains(response.status) { return nil }
      try requireSuccess(response)
      guard S3XML.has("ListVersionsResult", in: response.body) else { return nil }
      for element in elements {
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

  /// Returns the ids of the unfinished uploads of an object; none if the server knows no uploads in
  /// parts, as some do not.
  private func uploads(of key: String) throws -> [String] {
    let response = try exchange(
      S3Request(.get, key: "", query: [("prefix", key), ("uploads", "")]))
    if [400, 405, 501].contains(response.status) { return [] }
    try requireSuccess(response)
    return S3XML.contents(of: "Upload", in: response.body)
      .filter { S3XML.text(of: "Key", in: $0) == key }
      .compactMap { S3XML.text(of: "UploadId", in: $0) }
  }
}
