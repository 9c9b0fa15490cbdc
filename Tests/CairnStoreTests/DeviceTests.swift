import CairnDocument
import CairnFiles
import CairnStore
import Foundation
import SystemPackage
import Testing

@Suite("The id of a device")
struct DeviceTests {
  private let sandbox: Sandbox

  init() throws { sandbox = try Sandbox() }

  /// Returns the id of a dataset in a directory, each time with other random numbers at hand.
  private func id(_ name: String, seed: UInt64) throws -> ReplicaID {
    try sandbox.dataset(name, environment: .test(seed: seed)).replicaID()
  }

  @Test("it stays")
  func stable() throws {
    let first = try id("a", seed: 1)
    for seed in UInt64(2)..<6 { #expect(try id("a", seed: seed) == first) }
    #expect(try id("b", seed: 9) != first)
  }

  @Test(
    "a copy is another device; the original stays the one it was", arguments: ["-a", "-al", "-r"])
  func copied(options: String) throws {
    let original = try id("a", seed: 1)
    #expect(try sandbox.run("cp", options, "a", "b").status == 0)
    let copy = try id("b", seed: 2)
    #expect(copy != original)
    #expect(try id("b", seed: 3) == copy)
    // Copies that are hard links cannot be told from what they were copied from.
    if options != "-al" { #expect(try id("a", seed: 4) == original) }
    #expect(try id("a", seed: 5) != copy)
  }

  @Test("a moved directory is the same device")
  func moved() throws {
    let original = try id("a", seed: 1)
    #expect(try sandbox.run("mv", "a", "b").status == 0)
    #expect(try id("b", seed: 2) == original)
  }

  @Test("a file of another machine is another device's")
  func otherMachine() throws {
    let original = try id("a", seed: 1)
    let path = sandbox.path("a/.git/cairn/device.json")
    let text = String(decoding: try #require(try FileSystem().read(path)), as: UTF8.self)
    let machine = try #require(try JSON(bytes: Array(text.utf8))["machine"]?.string)
    #expect(!machine.isEmpty)
    // In place, so that the inode stays.
    let handle = try FileHandle(forWritingTo: URL(filePath: path.string))
    try handle.truncate(atOffset: 0)
    try handle.write(contentsOf: Data(text.replacingOccurrences(of: machine, with: "other").utf8))
    try handle.close()
    #expect(try id("a", seed: 2) != original)
  }

  @Test("a damaged file is replaced", arguments: ["", "{", "[]", "{\"replica\": \"zz\"}"])
  func damaged(text: String) throws {
    try sandbox.write(text.utf8, to: "a/.git/cairn/device.json")
    let minted = try id("a", seed: 1)
    #expect(try id("a", seed: 2) == minted)
  }

  @Test("a fault while it is minted leaves no half-written one")
  func faults() throws {
    try withFaultAtEachStep { environment, _ in
      try FileSystem().removeTree(sandbox.path("a"))
      _ = try sandbox.dataset("a", environment: environment).replicaID()
    } check: { (step: Int) throws in
      #expect(try sandbox.snapshot("a")[".git/cairn/device.json"] == nil, "step \(step)")
    }
  }
}
