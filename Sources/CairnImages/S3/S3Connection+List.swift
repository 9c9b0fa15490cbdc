internal import CairnDocument
internal import CairnHTTP

extension S3Connection {
  /// Whether the list of the bucket's images shows that an image is missing, so that it is sent
  /// without asking for it; false if the list does not tell. Reads a page of the list if it is time.
  ///
  /// An image that is listed is asked for all the same: some servers list for a while what was
  /// deleted. If another client has sent the image meanwhile, the server refuses the condition of the
  /// upload.
  /// Source: Amazon S3 API Reference, ListObjectsV2.
  func isUnlisted(_ image: ImageObject) throws -> Bool {
    // Only the condition of the upload keeps an outdated list from overwriting an image.
    guard session.supportsConditions else { return false }
    if session.lacks(image.id) { return true }
    let lease = try session.lease()
    guard lease.credentials != nil, let page = session.takeListPage() else { return false }
    let token = page.token.map { [(name: "continuation-token", value: $0)] } ?? []
    let query = [
      (name: "list-type", value: "2"), (name: "prefix", value: lease.endpoint.keyPrefix),
    ]
    // Listing needs a permission of its own; another error meets the next request as well.
    guard let response = try? exchange(S3Request(.get, key: "", query: query + token)),
      response.isSuccess, S3XML.has("ListBucketResult", in: response.body)
    else { return false }
    session.isBucketKnown = true
    // Other programs may use the same bucket.
    let images = S3XML.contents(of: "Contents", in: response.body).compactMap { object in
      S3XML.text(of: "Key", in: object).flatMap { key in
        PhotoID(String(key.suffix(64))).flatMap { lease.endpoint.key(of: $0) == key ? $0 : nil }
      }
    }
    session.addListed(
      images, next: S3XML.text(of: "NextContinuationToken", in: response.body),
      isLast: S3XML.text(of: "IsTruncated", in: response.body) != "true")
    return session.lacks(image.id)
  }
}
