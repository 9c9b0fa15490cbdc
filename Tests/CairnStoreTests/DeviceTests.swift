import CairnDocument
import CairnFiles
import CairnStore
import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("Replica ids")
struct DeviceTests {
  private let sandbox: Sandbox

  init() throws { sandbox = try Sandbox() }

  /// Returns the id of the dataset in a directory; a new id depends on `seed`.
  private func id(_ name: String, seed: UInt64) throws -> ReplicaID {
    try sandbox.dataset(name, environment: .test(seed: seed)).replicaID()
  }

  @Test("keeps a directory's id and gives another directory another id")
  func stable() throws {
    let first = try id("a", seed: 1)
    for seed in UInt64(2)..<6 { #expect(try id("a", seed: seed) == first) }
    #expect(try id("b", seed: 9) != first)
  }

  @Test("gives a copy a new id and keeps the original's", arguments: ["-a", "-al", "-r"])
  func copied(options: String) throws {
    let original = try id("a", seed: 1)
    #expect(try sandbox.run("cp", [options, "a", "b"]).status == 0)
    let copy = try id("b", seed: 2)
    #expect(copy != original)
    #expect(try id("b", seed: 3) == copy)
    // Copies that are hard links cannot be distinguished from the original.
    if options != "-al" { #expect(try id("a", seed: 4) == original) }
    #expect(try id("a", seed: 5) != copy)
  }

  @Test("keeps the id of a moved directory")
  func moved() throws {
    let original = try id("a", seed: 1)
    #expect(try sandbox.run("mv", ["a", "b"]).status == 0)
    #expect(try id("b", seed: 2) == original)
  }

  @Test("replaces the id of another machine")
  func otherMachine() throws {
    let original = try id("a", seed: 1)
    let path = sandbox.path("a/.git/cairn/device.json")
    let text = String(decoding: try #require(try FileSystem().read(path)), as: UTF8.self)
    let machine = try #require(try JSON(bytes: Array(text.utf8))["machine"]?.string)
    #expect(!machine.isEmpty)
    // The file is changed in place, so that its inode stays the same.
    let handle = try FileHandle(forWritingTo: URL(filePath: path.string))
    try handle.truncate(atOffset: 0)
    try handle.write(contentsOf: Data(text.replacingOccurrences(of: machine, with: "other").utf8))
    try handle.close()
    #expect(try id("a", seed: 2) != original)
  }

  @Test("replaces a damaged file", arguments: ["", "{", "[]", "{\"replica\": \"zz\"}"])
  func damaged(text: String) throws {
    try sandbox.write(text.utf8, to: "a/.git/cairn/device.json")
    let created = try id("a", seed: 1)
    #expect(try id("a", seed: 2) == created)
  }

  @Test("leaves no file when any step of creating an id fails")
  func faults() throws {
    try withFaultAtEachStep { environment, _ in
      try FileSystem().removeTree(sandbox.path("a"))
      _ = try sandbox.dataset("a", environment: environment).replicaID()
    } check: { (step: Int) throws in
      #expect(try sandbox.snapshot("a")[".git/cairn/device.json"] == nil, "step \(step)")
    }
  }
}
