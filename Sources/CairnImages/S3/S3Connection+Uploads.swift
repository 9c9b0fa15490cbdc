internal import CairnBase
internal import CairnDocument
internal import CairnHTTP
internal import CairnStore
internal import Crypto

// Uploads in parts that an earlier attempt, perhaps of another process, left unfinished.

extension S3Connection {
  /// An upload in parts, with those that the server has.
  struct Upload {
    let id: String
    var parts: [Int: Part] = [:]

    /// A part that the server has.
    struct Part {
      let tag: String
      let size: Int
      /// Nil where the server keeps none.
      let checksum: String?

      /// Whether it consists of these bytes, by its checksum or otherwise by its tag, which is as a rule
      /// the MD5.
      func holds(_ bytes: [UInt8]) -> Bool {
        guard size == bytes.count else { return false }
        if let checksum { return checksum == checksumText(SHA256.hash(data: bytes)) }
        return tag.filter { $0 != "\"" } == Hex.text(Insecure.MD5.hash(data: bytes))
      }
    }
  }

  /// The age in milliseconds from which an unfinished upload is taken for abandoned: a week.
  private static let longestUpload: Int64 = 7 * 24 * 60 * 60 * 1000

  /// Lists the unfinished uploads of all images, and removes the abandoned ones.
  func listUploadsOnce() throws {
    if session.uploads == nil { session.recordUploads(try listUploads()) }
  }

  /// Returns the unfinished upload of an image; nil if there is none, or if the server does not say.
  /// After an error that may pass, the next attempt asks again.
  ///
  /// Call ``listUploadsOnce()`` first.
  /// Source: Amazon S3 API Reference, ListMultipartUploads and ListParts.
  func unfinishedUpload(of image: PhotoID) throws -> Upload? {
    guard let id = session.uploads?[try key(of: image)] else { return nil }
    let response = try exchange(S3Request(.get, image, query: [("uploadId", id)]))
    do {
      try requireSuccess(response)
    } catch let error as TransferError where !error.isTransient || error.isNoSuchUpload {
      // Nobody else would end an upload whose parts this key may not list.
      if response.status != 404, session.hasBegun(id) { abort(image, id) }
      try endUpload(of: image)
      return nil
    }
    var upload = Upload(id: id)
    for part in S3XML.contents(of: "Part", in: response.body) {
      guard let number = S3XML.text(of: "PartNumber", in: part).flatMap({ Int($0) }),
        let tag = S3XML.text(of: "ETag", in: part), 1...1024 ~= tag.utf8.count,
        let size = S3XML.text(of: "Size", in: part).flatMap({ Int($0) })
      else { continue }
      upload.parts[number] = Upload.Part(
        tag: tag, size: size, checksum: S3XML.text(of: "ChecksumSHA256", in: part))
    }
    return upload
  }

  private func listUploads() throws -> [String: String] {
    let endpoint = try session.lease().endpoint
    let prefix = endpoint.keyPrefix
    let response = try exchange(
      S3Request(.get, key: "", query: [("prefix", prefix), ("uploads", "")]))
    // Listing needs a permission of its own.
    guard response.isSuccess else { return [:] }
    let oldest = S3Connection.digits(
      RFC3339.text(milliseconds: session.now() - S3Connection.longestUpload))
    var uploads: [String: String] = [:]
    for upload in S3XML.contents(of: "Upload", in: response.body) {
      // Other programs may use the same bucket.
      guard let key = S3XML.text(of: "Key", in: upload),
        let image = PhotoID(String(key.suffix(64))), key == endpoint.key(of: image),
        let id = S3XML.text(of: "UploadId", in: upload), 1...4096 ~= id.utf8.count
      else { continue }
      if let begun = S3XML.text(of: "Initiated", in: upload), S3Connection.digits(begun) < oldest {
        _ = try exchange(S3Request(.delete, key: key, query: [("uploadId", id)]))
      } else {
        uploads[key] = id
      }
    }
    return uploads
  }

  /// Returns the digits of a date and time up to the seconds, by which they sort.
  private static func digits(_ text: String) -> String {
    String(text.filter { $0.isASCII && $0.isNumber }.prefix(14))
  }

  private func key(of image: PhotoID) throws -> String {
    try session.lease().endpoint.key(of: image)
  }

  /// Records an upload that was begun.
  func recordUpload(_ id: String, of image: PhotoID) throws {
    session.recordBegun(id)
    session.recordUpload(id, for: try key(of: image))
  }

  /// Records that the upload of an image has ended.
  func endUpload(of image: PhotoID) throws { session.recordUpload(nil, for: try key(of: image)) }
}
