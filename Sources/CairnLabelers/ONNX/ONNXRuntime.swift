internal import CairnFiles
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
  /// - Parameter path: Its file; nil searches the usual paths.
  static func load(_ path: FilePath?, _ environment: LabelerEnvironment) throws(LabelerError)
    -> ONNXRuntime
  {
    try loaded.withLock { (loaded) throws(LabelerError) in
      let key = path?.string ?? ""
      if let known = loaded[key] { return known }
      let runtime = try open(path.map { [$0.string] } ?? candidatePaths(environment))
      loaded[key] = runtime
      return runtime
    }
  }

  private static func open(_ candidates: [String]) throws(LabelerError) -> ONNXRuntime {
    var reason = ""
    for candidate in candidates {
      if let library = dlopen(candidate, RTLD_NOW | RTLD_LOCAL) {
        guard let base = dlsym(library, "OrtGetApiBase") else {
          throw LabelerError("\(candidate) is not ONNX Runtime", scope: .labeler)
        }
        return try ONNXRuntime(base, candidate)
      }
      if candidates.count == 1, let error = dlerror() { reason = String(cString: error) }
    }
    guard candidates.count == 1 else {
      throw LabelerError(
        "ONNX Runtime was not found: run `pip install onnxruntime`, or set --library or "
          + "CAIRN_ONNXRUNTIME to the path of libonnxruntime.so", scope: .labeler)
    }
    throw LabelerError(
      "ONNX Runtime cannot be loaded: \(DisplaySanitizer.short(reason))", scope: .labeler)
  }

  /// Returns the candidate paths: the environment variable's, or the system's libraries and Python
  /// wheels.
  private static func candidatePaths(_ environment: LabelerEnvironment) -> [String] {
    if let named = environment.variable("CAIRN_ONNXRUNTIME"), !named.isEmpty { return [named] }
    #if os(Linux)
      let names = ["libonnxruntime.so.1", "libonnxruntime.so"]
    #else
      let names = ["libonnxruntime.dylib", "/opt/homebrew/lib/libonnxruntime.dylib"]
    #endif
    var roots = ["/usr/local/lib", "/usr/lib"]
    if let home = environment.variable("HOME") { roots.insert("\(home)/.local/lib", at: 0) }
    if let active = environment.variable("VIRTUAL_ENV") { roots.insert("\(active)/lib", at: 0) }
    let files = FileSystem()
    func list(_ path: String) -> [String] {
      ((try? files.list(FilePath(path))) ?? nil)?.sorted() ?? []
    }
    var found: [String] = []
    for root in roots {
      for python in list(root) where python.hasPrefix("python3") {
        for packages in ["site-packages", "dist-packages"] {
          let directory = "\(root)/\(python)/\(packages)/onnxruntime/capi"
          found += list(directory).filter { $0.hasPrefix("libonnxruntime.") }
            .map { "\(directory)/\($0)" }
        }
      }
    }
    return names + found
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
