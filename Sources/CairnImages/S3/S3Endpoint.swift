internal import CairnBase
internal import CairnDocument
internal import CairnTransport

/// The server and path of a bucket's objects.
///
/// Source: Amazon S3 User Guide, “Virtual hosting of general purpose buckets”.
struct S3Endpoint: Equatable {
  let region: String
  let scheme: String
  /// With its port unless that is the default one, as in the Host field.
  let host: String
  /// The part of an object's path before the key, encoded, with a trailing slash.
  private let path: String
  private let prefix: String

  /// - Parameter endpoint: A server other than Amazon's; its buckets are components of its paths.
  init(_ address: S3Address, region: String, endpoint: WebAddress?) {
    self.region = region
    prefix = address.prefix.isEmpty ? "" : address.prefix + "/"
    if let endpoint {
      let defaultPort: UInt16 = endpoint.scheme == "https" ? 443 : 80
      let port = endpoint.port.flatMap { $0 == defaultPort ? nil : ":\($0)" } ?? ""
      (scheme, host) = (endpoint.scheme, endpoint.host.lowercased() + port)
      let components = endpoint.path.split(separator: "/").map(String.init) + [address.bucket]
      path = "/" + components.joined(separator: "/") + "/"
      return
    }
    let domain =
      "s3.\(region).amazonaws.com" + (region.utf8.starts(with: "cn-".utf8) ? ".cn" : "")
    // A wildcard certificate does not cover a bucket name with dots.
    let isPathStyle = address.bucket.utf8.contains(UInt8(ascii: "."))
    (scheme, host) = ("https", isPathStyle ? domain : "\(address.bucket).\(domain)")
    path = isPathStyle ? "/\(address.bucket)/" : "/"
  }

  /// The beginning of all keys of images.
  var keyPrefix: String { "\(prefix)objects/" }

  /// Returns the key of an image, in the same layout as directories.
  func key(of id: PhotoID) -> String {
    let text = id.description
    return "\(keyPrefix)\(text.prefix(2))/\(text.dropFirst(2).prefix(2))/\(text)"
  }

  /// Returns the path of an object, encoded.
  func path(of key: String) -> String { path + PercentEncoding.encoded(key, keeping: "/") }

  var base: String { "\(scheme)://\(host)" }
}
