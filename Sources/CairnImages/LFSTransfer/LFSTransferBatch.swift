internal import CairnDocument
internal import CairnTransport

/// The action that `git-lfs-transfer` offers for an image.
struct LFSTransferAction: Sendable, Equatable {
  /// Opaque values to send back with the request.
  let (id, token): (String?, String?)
  /// Milliseconds since 1970; nil for never.
  let expires: Int64?

  /// Returns the arguments of a request that transfers an image.
  func arguments(for image: ImageObject) -> [String] {
    ["size=\(image.size)"] + (id.map { ["id=\($0)"] } ?? []) + (token.map { ["token=\($0)"] } ?? [])
  }
}

/// The response to the question which images a machine has.
///
/// Source: git-lfs, docs/proposals/ssh_adapter.md, “Requests to transfer objects”.
struct LFSTransferBatch {
  /// A line that is not one of a response.
  struct Malformed: Error, Equatable {
    let reason: String
  }

  private struct Object {
    let size: Int
    var actions: [String: LFSTransferAction] = [:]
  }

  private var objects: [String: Object] = [:]
  private let now: Int64

  /// Maximum size of a value that is sent back, in bytes.
  private static let valueLimit = 16 << 10

  /// - Parameter now: Milliseconds since 1970.
  init(now: Int64) { self.now = now }

  /// Adds a line of the response: the id, the size and an action of an image.
  mutating func take(_ line: String) throws(Malformed) {
    let words = line.split(separator: " ").map(String.init)
    guard words.count >= 3, let size = Int(words[1]), size >= 0 else {
      throw Malformed(reason: "its response has an invalid line")
    }
    var values: [String: String] = [:]
    for word in words.dropFirst(3) {
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, parts[1].utf8.count <= LFSTransferBatch.valueLimit else { continue }
      values[String(parts[0])] = String(parts[1])
    }
    let action = LFSTransferAction(
      id: values["id"], token: values["token"],
      expires: LFSActions.expiry(
        seconds: values["expires-in"].flatMap { Int($0) }, at: values["expires-at"], now: now))
    objects[words[0], default: Object(size: size)].actions[words[2]] = action
  }

  /// Returns the status of an image.
  func status(
    of image: ImageObject, _ direction: ImageDirection, at address: String
  ) -> RemoteStatus {
    guard let object = objects[image.id.description] else {
      return .rejected(
        TransferError(
          TransportError(.protocolViolation, address, "its response omits an image")))
    }
    let action = object.actions[direction.rawValue].map {
      TransferAction(ssh: $0, expires: $0.expires)
    }
    switch (direction, action) {
    case (.upload, let action?): return .missing(action)
    // The server offers no upload for an object that it already has.
    case (.upload, nil):
      return object.size == image.size
        ? .present(TransferAction()) : .rejected(.irreplaceable(image, address))
    case (.download, let action?):
      return object.size == image.size ? .present(action) : .missing(TransferAction())
    case (.download, nil): return .missing(TransferAction())
    }
  }
}
