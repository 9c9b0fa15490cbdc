import CairnDocument
import CairnStore
import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import CairnImages

/// The age program, which reads and writes the files of encrypted stores.
enum Age {
  static let isInstalled = Programs.isInstalled("age") && Programs.isInstalled("age-keygen")
  static let missing: Comment = "age is missing: `make setup` installs it"

  /// Runs the program and returns its standard output.
  static func run(_ arguments: [String], _ input: [UInt8] = [], program: String = "age") throws
    -> [UInt8]
  {
    let directory = TemporaryDirectory()
    let file = URL(filePath: directory.path("input").string)
    try Data(input).write(to: file)
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [program] + arguments
    process.standardInput = try FileHandle(forReadingFrom: file)
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "\(program) \(arguments)")
    return Array(bytes)
  }
}

/// An encrypted store in another one. What the tests read and write of its images is plain.
final class EncryptedServer: ImageServer {
  let server: any ImageServer
  let identity = AgeIdentity()
  private let scratch = Scratch()

  init(_ server: any ImageServer) { self.server = server }

  func remote() throws -> any ImageRemote {
    EncryptedImages(try server.remote(), identity, staging: scratch.store)
  }

  /// The name of an image in the store.
  func name(of id: PhotoID) -> PhotoID { identity.name(of: id) }

  /// Returns the plain bytes of an image, decrypted without the code under test if age is installed.
  func bytes(of id: PhotoID) throws -> [UInt8]? {
    guard let encrypted = try server.bytes(of: name(of: id)) else { return nil }
    if Age.isInstalled {
      let key = scratch.path.appending("key")
      try Data(identity.file(now: 0).utf8).write(to: URL(filePath: key.string))
      return try Age.run(["--decrypt", "-i", key.string], encrypted)
    }
    var (decryptor, bytes) = (AgeDecryptor(identity), [UInt8]())
    try encrypted.withUnsafeBytes { try decryptor.append($0) { bytes += $0 } }
    try decryptor.finish { bytes += $0 }
    return bytes
  }

  func put(_ bytes: [UInt8]?, as id: PhotoID) throws {
    guard let bytes else { return try server.put(nil, as: name(of: id)) }
    try server.put(try encrypted(bytes), as: name(of: id))
  }

  func encrypted(_ bytes: [UInt8]) throws -> [UInt8] {
    var rest: [UInt8]? = bytes
    var encryptor = try AgeEncryptor(to: identity.recipient) {
      defer { rest = nil }
      return rest
    }
    var encrypted: [UInt8] = []
    while let piece = try encryptor.read() { encrypted += piece }
    return encrypted
  }
}
