internal import CairnFiles
internal import CairnProcess
package import SystemPackage

/// Where ONNX Runtime's library may be, in the order in which the places are searched:
///
/// 1. the file or folder of `--library`; nothing else is searched then
/// 2. the file or folder in `CAIRN_ONNXRUNTIME`; nothing else is searched then
/// 3. the active virtual environment of Python (`VIRTUAL_ENV`)
/// 4. the active conda environment (`CONDA_PREFIX`): its Python packages, then its libraries
/// 5. the system's libraries
/// 6. the Python packages of the current user and the system
/// 7. the package that the `python3` in `PATH` would import
///
/// Each is searched only if the library was not found before it; no shell is started.
package struct ONNXRuntimeSearch: Sendable {
  /// A file or folder that was given, to which the search is limited; nil to search everywhere.
  package let given: FilePath?
  private let environment: LabelerEnvironment

  package init(_ library: FilePath?, _ environment: LabelerEnvironment) {
    self.environment = environment
    given = library ?? ONNXRuntimeSearch.path("CAIRN_ONNXRUNTIME", environment)
  }

  private static func path(_ variable: String, _ environment: LabelerEnvironment) -> FilePath? {
    environment.variable(variable).flatMap { $0.isEmpty ? nil : FilePath($0) }
  }

  /// Returns the first value that `visit` returns for a candidate: the path of a file, or the name
  /// of a library of the system. Candidates are found while they are visited.
  package func first<Value>(
    _ visit: (String) throws(LabelerError) -> Value?
  ) throws(LabelerError) -> Value? {
    if let given { return try ONNXRuntimeSearch.first(of: candidates(given), visit) }
    for place in [virtualEnvironment, conda, system, packages, python] {
      if let value = try ONNXRuntimeSearch.first(of: place(), visit) { return value }
    }
    return nil
  }

  private static func first<Value>(
    of candidates: [String], _ visit: (String) throws(LabelerError) -> Value?
  ) throws(LabelerError) -> Value? {
    for candidate in candidates {
      if let value = try visit(candidate) { return value }
    }
    return nil
  }

  // MARK: Places

  /// A folder may be that of the library, of a release, or of the Python package.
  private func candidates(_ path: FilePath) -> [String] {
    guard (try? FileSystem().status(path))?.kind == .directory else { return [path.string] }
    return ["", "lib", "lib64", "capi"].flatMap { libraries(in: path.pushing(FilePath($0))) }
  }

  private func virtualEnvironment() -> [String] {
    ONNXRuntimeSearch.path("VIRTUAL_ENV", environment).map(pythonPackages) ?? []
  }

  private func conda() -> [String] {
    guard let root = ONNXRuntimeSearch.path("CONDA_PREFIX", environment) else { return [] }
    return pythonPackages(root) + libraries(in: root.appending("lib"))
  }

  private func system() -> [String] {
    #if os(Linux)
      // Debian's name of the library ends with a minor version, so its folders are listed, too.
      let folders: [FilePath] = [
        "/usr/local/lib", "/usr/lib64", "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu",
        "/usr/lib",
      ]
      return ["libonnxruntime.so.1", "libonnxruntime.so"] + folders.flatMap(libraries)
    #else
      let folders: [FilePath] = ["/opt/homebrew/lib", "/usr/local/lib"]
      return ["libonnxruntime.dylib"] + folders.flatMap(libraries)
    #endif
  }

  private func packages() -> [String] {
    let home = ONNXRuntimeSearch.path("HOME", environment)?.appending(".local")
    return ([home].compactMap(\.self) + ["/usr/local", "/usr"]).flatMap(pythonPackages)
  }

  /// Returns the libraries in the Python packages below a prefix such as `/usr`.
  private func pythonPackages(_ prefix: FilePath) -> [String] {
    let lib = prefix.appending("lib")
    let versions = list(lib).filter { $0.hasPrefix("python3") }
    return versions.flatMap { version in
      ["site-packages", "dist-packages"].flatMap {
        libraries(in: lib.appending(version).appending($0).pushing("onnxruntime/capi"))
      }
    }
  }

  /// Returns the libraries in a folder, such as `libonnxruntime.so.1.21.0`, by name.
  private func libraries(in folder: FilePath) -> [String] {
    list(folder).filter { name in
      name.hasPrefix("libonnxruntime.so")
        || name.hasPrefix("libonnxruntime.") && name.hasSuffix(".dylib")
    }.map { folder.appending($0).string }
  }

  private func list(_ folder: FilePath) -> [String] {
    let names = try? FileSystem().list(folder)
    return (names ?? nil)?.sorted() ?? []
  }

  // MARK: Python

  /// The time that Python has to answer, in seconds.
  private static let pythonTimeout = 5
  private static let answerLimit = 4096

  /// Finds the package without importing it, and not in the current directory, whose files may be
  /// another person's.
  private static let script = """
    import os, sys
    sys.path = [p for p in sys.path if p and os.path.realpath(p) != os.path.realpath(os.getcwd())]
    import importlib.util
    found = importlib.util.find_spec("onnxruntime")
    sys.stdout.write(os.path.abspath(list(found.submodule_search_locations)[0]) if found else "")
    """

  private func python() -> [String] {
    do throws(ChildProcess.Failure) {
      let process = try ChildProcess(
        environment.python, ["-c", ONNXRuntimeSearch.script],
        environment: ["PYTHONSAFEPATH": "1"])
      process.closeInput()
      let answer = try process.output(
        limit: ONNXRuntimeSearch.answerLimit, timeout: ONNXRuntimeSearch.pythonTimeout)
      // A process that goes on writing is ended with its object.
      guard answer.count < ONNXRuntimeSearch.answerLimit, process.end(timeout: 1000) == 0 else {
        return []
      }
      let path = FilePath(String(decoding: answer, as: UTF8.self))
      return path.isAbsolute ? libraries(in: path.appending("capi")) : []
    } catch {
      // There is no Python, or it does not answer.
      return []
    }
  }
}
