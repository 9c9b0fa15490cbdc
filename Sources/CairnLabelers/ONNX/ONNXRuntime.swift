internal import COnnxRuntime
internal import LibC
internal import Synchronization
internal import SystemPackage

/// The ONNX Runtime library, loaded on first use and kept until the process ends, because its
/// threads must not outlive its code.
final class ONNXRuntime: @unchecked Sendable {
  // It is immutable, and the library's own functions are thread-safe.
  let api: cairn_ort_api
  let ortEnvironment: UnsafeMutableRawPointer
  let version: String

  private static let loaded = Mutex<[String: ONNXRuntime]>([:])

  /// Returns the library.
  ///
  /// - Parameter path: Its file or folder; nil searches as ``ONNXRuntimeSearch`` describes.
  static func load(_ path: FilePath?, _ environment: LabelerEnvironment) throws(LabelerError)
    -> ONNXRuntime
  {
    let search = ONNXRuntimeSearch(path, environment)
    return try loaded.withLock { (loaded) throws(LabelerError) in
      var reason: String?
      let runtime = try search.first { (candidate) throws(LabelerError) -> ONNXRuntime? in
        if let known = loaded[candidate] { return known }
        guard let library = dlopen(candidate, RTLD_NOW | RTLD_LOCAL) else {
          // Names of the system's libraries are only tried.
          let isFile = candidate.contains("/") || search.given != nil
          if isFile, reason == nil { reason = dlerror().map { String(cString: $0) } }
          return nil
        }
        guard let base = dlsym(library, "OrtGetApiBase") else {
          throw LabelerError("\(candidate) is not ONNX Runtime", scope: .labeler)
        }
        let runtime = try ONNXRuntime(base, candidate)
        loaded[candidate] = runtime
        return runtime
      }
      if let runtime { return runtime }
      throw notFound(reason, search.given)
    }
  }

  /// - Parameter reason: Why a candidate could not be loaded; nil if there was none.
  private static func notFound(_ reason: String?, _ given: FilePath?) -> LabelerError {
    if let reason {
      return LabelerError(
        "ONNX Runtime cannot be loaded: \(DisplaySanitizer.short(reason))", scope: .labeler)
    }
    if let given {
      return LabelerError(
        "there is no ONNX Runtime in \(given): no file named libonnxruntime", scope: .labeler)
    }
    return LabelerError(
      "ONNX Runtime was not found: run `pip install onnxruntime` (Debian: `apt install "
        + "libonnxruntime-dev`), or set --library or CAIRN_ONNXRUNTIME to the path of "
        + "libonnxruntime.so or its folder", scope: .labeler)
  }

  private init(_ base: UnsafeMutableRawPointer, _ name: String) throws(LabelerError) {
    var text: UnsafePointer<CChar>?
    let api = cairn_ort_get_api(base, &text)
    version = text.map { String(cString: $0) } ?? "?"
    guard let api, version.hasPrefix("1.") else {
      throw LabelerError(
        "\(name) is ONNX Runtime \(version), but only versions 1.x are supported", scope: .labeler)
    }
    self.api = api
    var ortEnvironment: UnsafeMutableRawPointer?
    // 3: errors only; otherwise it would write to stderr.
    let status = cairn_ort_create_env(api, 3, "cairn", &ortEnvironment)
    guard status == nil, let ortEnvironment else {
      throw LabelerError("ONNX Runtime \(version) cannot be started", scope: .labeler)
    }
    self.ortEnvironment = ortEnvironment
  }

  /// Throws an error for a failure status of the library.
  func check(
    _ status: cairn_ort_status?, _ what: String, scope: LabelerError.Scope = .labeler
  ) throws(LabelerError) {
    guard let status else { return }
    let message = cairn_ort_message(api, status).map { String(cString: $0) } ?? ""
    cairn_ort_release_status(api, status)
    throw LabelerError("\(what) (“\(DisplaySanitizer.short(message))”)", scope: scope)
  }
}
