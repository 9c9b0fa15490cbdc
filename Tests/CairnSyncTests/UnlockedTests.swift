import CairnDocument
import CairnFiles
import CairnStore
import Synchronization
import SystemPackage
import Testing

@testable import CairnSync

@Suite("Locks during transfers")
struct UnlockedTests {
  /// Counts the progress reports, and those during which another process could not write.
  private final class Watch: Sendable {
    let moments = Mutex((seen: 0, locked: 0))

    /// Returns a device whose operations are watched.
    func watched(_ replica: Replica, _ devices: Devices) throws -> Replica {
      let directory = replica.directory
      return try devices.reopen(
        replica,
        onProgress: { [self] _ in
          let session = try? EditSession(directory, holder: "another", timeout: 0)
          moments.withLock {
            $0.seen += 1
            if session == nil { $0.locked += 1 }
          }
        })
    }
  }

  @Test("lets other processes write while commits and images are transferred")
  func transfers() throws {
    let devices = try Devices()
    let a = try devices.start("a")
    let ids = try (1...3).map { try addImage(UInt8($0), to: a, devices) }
    try a.commit()
    let watch = Watch()
    _ = try watch.watched(a, devices).push()
    let afterPush = watch.moments.withLock(\.self)
    #expect(afterPush.seen > 3 && afterPush.locked == 0)

    let b = try watch.watched(devices.clone("b"), devices)
    _ = try addImage(9, to: a, devices)
    try a.sync()
    try b.label(1, "dog", by: "bob")
    try b.sync()
    let afterSync = watch.moments.withLock(\.self)
    #expect(afterSync.seen > afterPush.seen && afterSync.locked == 0)

    let drop = try b.dropImages(of: nil)
    #expect(drop.dropped == ids.count + 1)
    let arrival = try b.fetchImages(of: nil)
    #expect(arrival.transferred == ids.count + 1 && arrival.left == 0)
    let atLast = watch.moments.withLock(\.self)
    #expect(atLast.seen > afterSync.seen && atLast.locked == 0)
    #expect(try b.commit().commit == nil)
  }

  private func addImage(_ byte: UInt8, to replica: Replica, _ devices: Devices) throws -> PhotoID {
    let source = devices.root.appending("source-\(byte)")
    try devices.environment().files.create(source, [UInt8](repeating: byte, count: 3000))
    let staged = try replica.directory.blobs.stage(source)
    try replica.directory.blobs.install(staged)
    try replica.addPhoto(staged)
    return staged.id
  }
}
