internal import CPage
internal import Cairn
internal import CairnFiles
internal import Crypto
internal import SystemPackage

/// The files of the page: built in, or from a directory while developing.
struct PageFiles: Sendable {
  struct File: Sendable {
    let bytes: [UInt8]
    let type: String
    let tag: String

    init(_ bytes: [UInt8], _ name: String) {
      self.bytes = bytes
      type = File.type(name)
      tag =
        "\""
        + SHA256.hash(data: bytes).prefix(12).map { byte in
          let text = String(byte, radix: 16)
          return text.count == 1 ? "0" + text : text
        }.joined() + "\""
    }

    private static func type(_ name: String) -> String {
      switch name.split(separator: ".").last {
      case "html": "text/html; charset=utf-8"
      case "js": "text/javascript; charset=utf-8"
      case "css": "text/css; charset=utf-8"
      case "svg": "image/svg+xml"
      case "json", "webmanifest": "application/json; charset=utf-8"
      case "png": "image/png"
      default: "application/octet-stream"
      }
    }
  }

  private let directory: FilePath?
  private let builtIn: [String: File]

  init(directory: FilePath?) {
    self.directory = directory
    var files: [String: File] = [:]
    for index in 0..<cpage_count() {
      let file = cpage_file(index)
      let name = String(cString: file.name)
      files[name] = File(PageFiles.bytes(file), name)
    }
    builtIn = files
  }

  /// The names of the built-in files, sorted.
  var names: [String] { builtIn.keys.sorted() }

  /// Maximum size of a file of the page, in bytes.
  private static let limit = 8 << 20

  /// Returns a file; nil if there is none.
  ///
  /// - Parameters:
  ///   - name: The name of a file, such as `index.html`, or of a folder and a file in it.
  ///   - library: Its workers read the files of a directory.
  func file(_ name: String, _ library: Library) async throws -> File? {
    guard let directory else { return builtIn[name] }
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count <= 2, parts.allSatisfy(PageFiles.isName) else { return nil }
    return try await library.work { _ in
      try PageFiles.read(directory.appending(name)).map { File($0, name) }
    }
  }

  /// Returns the bytes of a file; nil if there is none, or a folder.
  private static func read(_ path: FilePath) throws(FileError) -> [UInt8]? {
    do {
      return try Cairn.Environment.machine.files.read(path, limit: limit)
    } catch {
      if error.code == .isDirectory { return nil }
      throw error
    }
  }

  /// Returns whether a text is the name of one file or folder that is not hidden.
  private static func isName(_ name: Substring) -> Bool {
    !name.hasPrefix(".") && !name.isEmpty
      && name.utf8.allSatisfy {
        0x30...0x39 ~= $0 || 0x61...0x7A ~= $0 || 0x41...0x5A ~= $0 || $0 == 0x2D || $0 == 0x2E
          || $0 == 0x5F
      }
  }

  /// The base map of the world.
  static let baseMap = bytes(cpage_base_map())

  /// The OpenAPI document of the API.
  static let openAPI = bytes(cpage_openapi())

  private static func bytes(_ file: CPageFile) -> [UInt8] {
    Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
  }
}
