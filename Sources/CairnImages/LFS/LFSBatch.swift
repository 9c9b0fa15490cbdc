internal import CairnDocument
internal import CairnHTTP
internal import CairnStore
internal import CairnTransport

/// The request of the batch API, and its responses.
///
/// Source: Git LFS, docs/api/batch.md.
enum LFSBatch {
  static let mediaType = "application/vnd.git-lfs+json"

  static func request(
    _ direction: ImageDirection, _ images: [ImageObject], branch: String?
  ) -> [UInt8] {
    var request: JSONObject = [
      "hash_algo": "sha256",
      "objects": .array(images.map(object)),
      "operation": .string(direction.rawValue),
      "transfers": direction == .upload ? ["basic", "multipart"] : ["basic"],
    ]
    if let branch { request["ref"] = ["name": .string(branch)] }
    return Array(JSON.object(request).line.utf8)
  }

  /// Returns the request body that confirms an upload.
  static func verification(of image: ImageObject) -> [UInt8] { Array(object(image).line.utf8) }

  /// Returns the request body that puts the parts of an upload together.
  ///
  /// - Parameter tags: The server's tag of each part.
  static func completion(of image: ImageObject, _ tags: [String]) -> [UInt8] {
    let parts = tags.enumerated().map { index, tag -> JSON in
      ["etag": .string(tag), "partNumber": JSON(index + 1)]
    }
    let request: JSON = ["oid": .string(image.id.description), "parts": .array(parts)]
    return Array(request.line.utf8)
  }

  private static func object(_ image: ImageObject) -> JSON {
    ["oid": .string(image.id.description), "size": JSON(image.size)]
  }

  /// Reads the statuses of `images`, in their order.
  ///
  /// - Parameter secrets: What the request contained that no message may repeat.
  /// - Throws: ``LFSActions/Malformed`` when the response is invalid.
  static func statuses(
    _ bytes: [UInt8], _ direction: ImageDirection, about images: [ImageObject],
    from server: WebAddress, now: Int64, secrets: HTTPSecrets = HTTPSecrets()
  ) throws(LFSActions.Malformed) -> [RemoteStatus] {
    guard let response = try? JSON(bytes: bytes), let objects = response["objects"]?.array else {
      throw LFSActions.Malformed(reason: "its response is not a valid batch response")
    }
    if let algorithm = response["hash_algo"]?.string, !["", "sha256"].contains(algorithm) {
      throw LFSActions.Malformed(reason: "it identifies objects by a hash other than SHA-256")
    }
    let offered = direction == .upload ? ["", "basic", "multipart"] : ["", "basic"]
    if let transfer = response["transfer"]?.string, !offered.contains(transfer) {
      throw LFSActions.Malformed(reason: "it requires a transfer type that was not offered")
    }
    var byID: [String: JSON] = [:]
    for object in objects { if let id = object["oid"]?.string { byID[id] = object } }
    return images.map { status(byID[$0.id.description], direction, $0.size, server, now, secrets) }
  }

  private static func status(
    _ object: JSON?, _ direction: ImageDirection, _ size: Int, _ server: WebAddress, _ now: Int64,
    _ secrets: HTTPSecrets
  ) -> RemoteStatus {
    guard let object else {
      return .rejected(error(.protocolViolation, server, "its response omits an image"))
    }
    if let problem = object["error"], !problem.isNull {
      let code = problem["code"]?.int ?? 0
      if direction == .download, code == 404 || code == 410 { return .missing(TransferAction()) }
      let message = secrets.shown(problem["message"]?.string ?? "")
      let reason = "it rejected an image" + (message.isEmpty ? " (\(code))" : ": \(message)")
      let isTransient = code == 429 || 500...599 ~= code && code != 507 && code != 509
      let kind: TransportError.Kind =
        isTransient ? .serverError : code == 507 || code == 509 ? .noSpace : .forbidden
      return .rejected(
        TransferError(TransportError(kind, server.text, reason), isTransient: isTransient))
    }
    let actions: LFSActions
    do throws(LFSActions.Malformed) {
      guard let some = try LFSActions(object, direction, of: size, now: now) else {
        // The server offers no upload for an object that it already has.
        if direction == .upload { return .present(TransferAction()) }
        return .rejected(error(.protocolViolation, server, "it returned no URL for an image"))
      }
      actions = some
    } catch {
      return .rejected(self.error(.protocolViolation, server, error.reason))
    }
    for action in actions.all
    where server.scheme == "https" && action.address.scheme != "https" {
      return .rejected(error(.untrusted, server, "it returned an http URL over https"))
    }
    let action = TransferAction(actions: actions, expires: actions.expires)
    return direction == .upload ? .missing(action) : .present(action)
  }

  private static func error(
    _ kind: TransportError.Kind, _ server: WebAddress, _ reason: String
  ) -> TransferError {
    TransferError(TransportError(kind, server.text, reason))
  }
}
