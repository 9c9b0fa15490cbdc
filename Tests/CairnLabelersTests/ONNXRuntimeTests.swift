import CairnLabelers
import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("Search for ONNX Runtime")
struct ONNXRuntimeTests {
  private let scratch = TemporaryDirectory()

  /// Returns the candidates in order, those in the test's directory relative to it.
  private func candidates(
    _ library: FilePath? = nil, _ variables: [String: String] = [:], python: String = "/nowhere"
  ) throws -> [String] {
    var environment = LabelerEnvironment.quick
    environment.variable = { variables[$0] }
    environment.python = python
    var found: [String] = []
    let none: Bool? = try ONNXRuntimeSearch(library, environment).first {
      found.append($0)
      return nil
    }
    #expect(none == nil)
    return found.map { $0.replacing(scratch.root.string + "/", with: "") }
  }

  /// Writes a program that runs instead of Python.
  private func program(_ text: String) throws -> String {
    let path = try scratch.write("#!/bin/sh\n" + text + "\n", to: "bin/python")
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path.string)
    return path.string
  }

  private func path(_ name: String) -> String { scratch.path(name).string }

  private static let packages = "lib/python3.12/site-packages/onnxruntime/capi"

  @Test("searches the active environments, the system, the user's packages and Python, in order")
  func order() throws {
    let venv = "venv/\(Self.packages)/libonnxruntime.so.1.21.0"
    let conda = "conda/\(Self.packages)/libonnxruntime.so.1.20.0"
    let (condaLibrary, user) = (
      "conda/lib/libonnxruntime.so", "home/.local/\(Self.packages)/libonnxruntime.so.1.19.0"
    )
    let imported = "pyenv/onnxruntime/capi/libonnxruntime.so.1.18.0"
    for file in [venv, conda, condaLibrary, user, imported] { try scratch.write("", to: file) }
    // Other libraries of the package.
    try scratch.write("", to: "venv/\(Self.packages)/libonnxruntime_providers_shared.so")
    let found = try candidates(
      nil,
      [
        "VIRTUAL_ENV": path("venv"), "CONDA_PREFIX": path("conda"), "HOME": path("home"),
        "CAIRN_ONNXRUNTIME": "",
      ], python: program("printf %s '\(path("pyenv/onnxruntime"))'"))
    #expect(found.prefix(3) == [venv, conda, condaLibrary])
    let system = try #require(found.firstIndex { !$0.contains("/") })
    #expect(system == 3)
    let ofUser = try #require(found.firstIndex(of: user))
    #expect(ofUser > system && found.last == imported)
  }

  @Test("searches only the file or folder of the option, or else of the variable")
  func folders() throws {
    let library = "release/lib/libonnxruntime.so.1"
    try scratch.write("", to: library)
    try scratch.write("", to: "wheel/capi/libonnxruntime.so.1.20.0")
    try scratch.write("", to: "empty/other.so")
    let variables = ["CAIRN_ONNXRUNTIME": path("release"), "VIRTUAL_ENV": path("venv")]
    #expect(try candidates(nil, variables) == [library])
    #expect(try candidates(scratch.path("release/lib"), variables) == [library])
    #expect(
      try candidates(scratch.path("wheel"), variables) == ["wheel/capi/libonnxruntime.so.1.20.0"])
    #expect(try candidates(scratch.path("none.so"), variables) == ["none.so"])
    #expect(try candidates(scratch.path("empty"), variables).isEmpty)
  }

  @Test("asks Python where the package is, without running it and not in the current directory")
  func python() throws {
    let library = "good/onnxruntime/capi/libonnxruntime.so.1.20.0"
    try scratch.write("", to: library)
    try scratch.write(
      "import pathlib; pathlib.Path(__file__).with_name('ran').touch()",
      to: "good/onnxruntime/__init__.py")
    try scratch.write("", to: "hostile/onnxruntime/__init__.py")
    try scratch.write("", to: "hostile/onnxruntime/capi/libonnxruntime.so.1.20.0")
    try scratch.write("raise SystemExit(3)", to: "hostile/importlib/__init__.py")
    let good = try program(
      "cd '\(path("hostile"))'; PYTHONPATH='\(path("good"))' exec python3 \"$@\"")
    #expect(try candidates(python: good).last == library)
    #expect(!FileManager.default.fileExists(atPath: path("good/onnxruntime/ran")))
    // The current directory, given by its name, is left out, too.
    let hostile = try program(
      "cd '\(path("hostile"))'; PYTHONPATH='\(path("hostile"))' exec python3 \"$@\"")
    #expect(try candidates(python: hostile).allSatisfy { !$0.hasPrefix("hostile") })
  }

  @Test(
    "ignores a Python that fails or does not print a path",
    arguments: ["exit 1", "echo good/onnxruntime", "printf ''", "yes", "kill -9 $$"])
  func badPython(program text: String) throws {
    try scratch.write("", to: "good/onnxruntime/capi/libonnxruntime.so")
    let found = try candidates(python: try program(text))
    #expect(found.allSatisfy { !$0.hasPrefix("good") })
  }
}
