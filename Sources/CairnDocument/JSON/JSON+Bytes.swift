extension JSON {
  /// Reads a JSON text of at most ``DocumentLimit/size`` bytes.
  public init(bytes: some Sequence<UInt8>) throws(DocumentError) {
    self = try withScanner(bytes) { (scanner) throws(DocumentError) in
      let value = try scanner.value()
      try scanner.finish()
      return value
    }
  }

  /// The canonical encoding: UTF-8, keys sorted, two-space indent, one key per line, final newline.
  public var canonicalBytes: [UInt8] {
    var writer = CanonicalWriter()
    writer.write(self)
    return writer.finish()
  }

  /// The canonical encoding as text.
  public var canonicalText: String { String(decoding: canonicalBytes, as: UTF8.self) }
}

extension JSONObject {
  public var canonicalBytes: [UInt8] { JSON.object(self).canonicalBytes }
}

/// Runs `body` with a scanner over `bytes`, after checking their number.
package func withScanner<Result>(
  _ bytes: some Sequence<UInt8>, _ body: (inout JSONScanner) throws(DocumentError) -> Result
) throws(DocumentError) -> Result {
  func scan(_ buffer: UnsafeBufferPointer<UInt8>) -> Swift.Result<Result, DocumentError> {
    if buffer.count > DocumentLimit.size {
      return .failure(
        DocumentError(.tooLarge, "larger than the limit of \(DocumentLimit.size) bytes"))
    }
    var scanner = JSONScanner(buffer)
    do throws(DocumentError) {
      return .success(try body(&scanner))
    } catch {
      if buffer.starts(with: [0xEF, 0xBB, 0xBF]) {
        return .failure(
          DocumentError(.syntax, "it begins with a byte order mark; save it as UTF-8 without one"))
      }
      return .failure(error)
    }
  }
  let result =
    bytes.withContiguousStorageIfAvailable(scan) ?? Array(bytes).withUnsafeBufferPointer(scan)
  return try result.get()
}
