import Foundation
import SystemPackage
import TestSupport
import Testing

extension Sandbox {
  /// Returns everything below the root that contains one of the pieces, sorted: paths of files, and
  /// objects of git repositories, whether or not something names them, as `x.git: 41d8…`.
  func places(of pieces: [Data]) throws -> [String] {
    func isMatch(_ bytes: Data) -> Bool { pieces.contains { bytes.range(of: $0) != nil } }
    var found: [String] = []
    for name in try FileManager.default.subpathsOfDirectory(atPath: root.string) {
      let attributes = try FileManager.default.attributesOfItem(atPath: url(name).path)
      switch attributes[.type] as? FileAttributeType {
      case .typeRegular?: if isMatch(try read(name)) { found.append(name) }
      case .typeDirectory? where exists("\(name)/HEAD") && exists("\(name)/objects"):
        found += try objects(in: name).filter { isMatch($0.bytes) }.map { "\(name): \($0.id)" }
      default: break
      }
    }
    return found.sorted()
  }

  /// Returns all objects of a git repository, decompressed, also those that nothing names.
  private func objects(in repository: String) throws -> [(id: String, bytes: Data)] {
    let output = try git("cat-file", "--batch-all-objects", "--batch", in: repository)
    var objects: [(id: String, bytes: Data)] = []
    var rest = output.bytes
    // A line with the id, the kind and the size, the object, and a line break.
    while let end = rest.firstIndex(of: 0x0A) {
      let words = String(decoding: rest[..<end], as: UTF8.self).split(separator: " ")
      guard words.count == 3, let size = Int(words[2]) else { break }
      let bytes = rest[(end + 1)...].prefix(size)
      objects.append((String(words[0]), bytes))
      rest = rest[(end + 1)...].dropFirst(size + 1)
    }
    return objects
  }
}
