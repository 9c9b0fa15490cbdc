import CairnDocument
import CairnStore
import CairnTransport
import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import CairnImages

@Suite("Encryption with age")
struct AgeTests {
  private static let sizes = [0, 1, 65_535, 65_536, 65_537, 131_072, 200_000]

  private func encrypted(_ bytes: [UInt8], to recipient: AgeRecipient, piece: Int = 10_000) throws
    -> [UInt8]
  {
    var rest = bytes[...]
    var encryptor = try AgeEncryptor(to: recipient) {
      defer { rest = rest.dropFirst(piece) }
      return rest.isEmpty ? nil : Array(rest.prefix(piece))
    }
    var result: [UInt8] = []
    while let piece = try encryptor.read() { result += piece }
    return result
  }

  private func decrypted(_ bytes: [UInt8], _ identity: AgeIdentity, piece: Int = 7_000) throws
    -> [UInt8]
  {
    var (decryptor, result) = (AgeDecryptor(identity), [UInt8]())
    for start in stride(from: 0, to: bytes.count, by: piece) {
      try bytes[start..<min(bytes.count, start + piece)].withUnsafeBytes {
        try decryptor.append($0) { result += $0 }
      }
    }
    try decryptor.finish { result += $0 }
    return result
  }

  @Test("encrypts and decrypts files of all sizes, to a size known before", arguments: sizes)
  func roundTrip(size: Int) throws {
    let (identity, plain) = (AgeIdentity(), sampleBytes(3, size: size))
    let bytes = try encrypted(plain, to: identity.recipient)
    #expect(bytes.count == AgeFile.size(ofPlain: size))
    #expect(try decrypted(bytes, identity) == plain)
    #expect(try decrypted(bytes, identity, piece: 1 << 20) == plain)
    #expect(throws: AgeDecryptor.Failure.self) { try decrypted(bytes, AgeIdentity()) }
  }

  @Test("detects every changed, missing and additional byte")
  func damage() throws {
    let identity = AgeIdentity()
    let bytes = try encrypted(sampleBytes(1, size: 131_072), to: identity.recipient)
    let chunk = AgeFile.chunkSize + AgeFile.tagSize
    let payload = AgeFile.headerSize + AgeFile.nonceSize
    for position in [0, 30, 80, 130, 167, 168, payload, payload + chunk - 1, bytes.count - 1] {
      var changed = bytes
      changed[position] ^= 1
      #expect(throws: AgeDecryptor.Failure.self, "byte \(position)") {
        try decrypted(changed, identity)
      }
    }
    let first = Array(bytes[payload..<payload + chunk])
    for cut in [
      [], Array(bytes.dropLast()), bytes + [0], Array(bytes.prefix(payload)),
      Array(bytes.prefix(payload + chunk)),
      Array(bytes.prefix(payload)) + bytes.suffix(chunk) + first,
    ] as [[UInt8]] {
      #expect(throws: AgeDecryptor.Failure.self) { try decrypted(cut, identity) }
    }
  }

  @Test("reads keys as age-keygen writes them, and quotes none in an error")
  func keys() throws {
    let identity = AgeIdentity()
    let text = identity.file(now: 0)
    #expect(text.hasPrefix("# created: 1970-01-01"))
    let read = try AgeIdentity.identities(inFile: text + "\n\r\n# more\n" + text)
    #expect(read.map(\.recipient) == [identity.recipient, identity.recipient])
    #expect(AgeRecipient("\(identity.recipient)") == identity.recipient)
    #expect(!"\(identity) \(String(reflecting: identity))".contains("SECRET"))
    for (file, reason) in [
      ("", "it has no key"), ("# nothing\n", "it has no key"),
      ("age-encryption.org/v1\n-> scrypt x 18\n", "it is encrypted; `age -d FILE` decrypts it"),
      ("\nAGE-SECRET-KEY-1X", "line 2 is not an age key (AGE-SECRET-KEY-1…)"),
    ] {
      #expect(throws: AgeIdentity.MalformedFile(reason: reason)) {
        try AgeIdentity.identities(inFile: file)
      }
    }
    var wrong = Array("\(identity.recipient)")
    wrong[20] = wrong[20] == "q" ? "p" : "q"
    #expect(AgeRecipient(String(wrong)) == nil)
  }

  @Test(
    "exchanges keys and files with the age program", .enabled(if: Age.isInstalled, Age.missing),
    arguments: sizes)
  func oracle(size: Int) throws {
    let directory = TemporaryDirectory()
    let plain = sampleBytes(5, size: size)
    let ours = AgeIdentity()
    let key = try directory.write(ours.file(now: 0), to: "ours").string
    #expect(try Age.run(["--decrypt", "-i", key], encrypted(plain, to: ours.recipient)) == plain)
    // With a key of the program.
    let made = String(decoding: try Age.run([], program: "age-keygen"), as: UTF8.self)
    let theirs = try #require(try AgeIdentity.identities(inFile: made).first)
    #expect(made.contains("# public key: \(theirs.recipient)\n"))
    let bytes = try Age.run(["-r", "\(theirs.recipient)"], plain)
    #expect(bytes.count == AgeFile.size(ofPlain: size))
    #expect(try decrypted(bytes, theirs) == plain)
    let file = try directory.write(made, to: "theirs").string
    #expect(
      try Age.run(["--decrypt", "-i", file], encrypted(plain, to: theirs.recipient)) == plain)
  }

  @Test("reads the URLs of encrypted stores, and refuses those that cannot be encrypted")
  func addresses() throws {
    let recipient = AgeIdentity().recipient
    for url in ["/mnt/nas", "sftp://h/a", "s3://bucket/a#b", "davs://h/a", "rclone:drive:a"] {
      let text = ImageAddress.encrypted(url, to: recipient)
      if url.contains("#") {
        #expect(throws: RemoteAddress.Malformed.self) { try ImageAddress(text) }
      } else {
        #expect(
          try ImageAddress(text) == .encrypted(try ImageAddress(url), url: url, recipient))
      }
    }
    for text in [
      "age+/mnt/nas", "age+/mnt/nas#age1x", "age+https://h/a#\(recipient)",
      "age+h:a.git#\(recipient)", "age+none#\(recipient)",
      "age+age+/mnt/nas#\(recipient)#\(recipient)",
    ] {
      #expect(throws: RemoteAddress.Malformed.self, "\(text)") { try ImageAddress(text) }
    }
  }

  @Test("reveals nothing about which images it has without the key")
  func names() throws {
    let (server, here, there) = (EncryptedServer(try DirectoryServer()), Scratch(), Scratch())
    let images = try (1..<4).map { try here.add($0, size: 70_000) }
    #expect(try ImageTransfer(server.remote(), here.store, .quick()).send(images).transferred == 3)
    for image in images {
      #expect(try server.server.bytes(of: image.id) == nil)
      #expect(server.name(of: image.id) == server.identity.name(of: image.id))
      #expect(AgeIdentity().name(of: image.id) != server.name(of: image.id))
      let stored = try #require(try server.server.bytes(of: server.name(of: image.id)))
      #expect(stored.starts(with: "age-encryption.org/v1\n".utf8))
      #expect(!stored.contains(sampleBytes(UInt8(1), size: 40)))
    }
    // Another key finds none of them.
    let other = EncryptedImages(try server.server.remote(), AgeIdentity(), staging: there.store)
    #expect(try ImageTransfer(other, there.store, .quick()).receive(images).missing.count == 3)
    #expect(
      try ImageTransfer(server.remote(), here.store, .quick()).verify(images).transferred == 3)
  }
}

@Suite("The rate of transfers")
struct RateLimiterTests {
  @Test("keeps all threads together to the rate")
  func rate() {
    nonisolated(unsafe) var time: Int64 = 0
    let limiter = RateLimiter(
      bytesPerSecond: 1000, isCancelled: { false }, now: { time }, sleep: { time += $0 })
    for _ in 0..<10 { limiter.wait(for: 500) }
    #expect(time == 5000)
    time += 60_000
    // A pause earns nothing.
    limiter.wait(for: 1000)
    #expect(time == 66_000)
    limiter.wait(for: -1000)
    #expect(time == 66_000)
    let cancelled = RateLimiter(
      bytesPerSecond: 1, isCancelled: { true }, now: { time }, sleep: { time += $0 })
    cancelled.wait(for: 1_000_000)
    #expect(time == 66_000)
    #expect(RateLimiter.connections(atRate: 20_000) == 1)
    #expect(RateLimiter.connections(atRate: 1 << 20) == 8)
  }

  @Test("takes as long as the rate says, for uploads and downloads")
  func transfers() throws {
    let (server, here, there) = (try DirectoryServer(), Scratch(), Scratch())
    let images = try (0..<4).map { try here.add($0, size: 50_000) }
    let options = ImageTransfer.Options.quick { $0.bytesPerSecond = 1_000_000 }
    for run in [
      { try ImageTransfer(server.remote(), here.store, options).send(images) },
      { try ImageTransfer(server.remote(), there.store, options).receive(images) },
    ] {
      let clock = ContinuousClock()
      var transferred = 0
      let time = try clock.measure { transferred = try run().transferred }
      #expect(transferred == 4 && time >= .milliseconds(190))
    }
  }
}
