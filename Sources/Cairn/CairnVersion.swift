/// The version of cairn: of the library, the command and the packages.
///
/// Versions follow Semantic Versioning 2.0.0; <doc:Stability> lists what they promise. This is the
/// only place that names the version: `Sources/Packaging/version` reads it from here.
public enum CairnVersion {
  /// The version, such as `1.4.0`.
  public static let text = "0.1.0"
}
