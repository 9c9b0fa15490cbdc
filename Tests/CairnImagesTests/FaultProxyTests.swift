import CairnDocument
import CairnGit
import CairnImages
import CairnStore
import CairnTransport
import Foundation
import Synchronization
import SystemPackage
import TestSupport
import Testing

/// Transfers between this copy and a server through a proxy that injects planned faults.
@Suite("SFTP over an unreliable network")
struct FaultProxyTests {
  private static let isInstalled = SSHServer.isInstalled
  /// The number of bytes of a connection among which faults occur: sshd's greeting and key exchange
  /// take some thousands, the images the rest.
  private static let reach = 1_000_000

  /// The server and its images, behind a proxy.
  private struct Scene {
    let server: SFTPServer
    let (here, there): (Scratch, Scratch)
    let images: [Pointer]

    init() throws {
      (server, here, there) = (try SFTPServer(), Scratch(), Scratch())
      let here = here
      images = try (0..<4).map { try here.add($0, size: 150_000 + Int($0)) }
    }

    /// Returns the remote through a proxy, with the short timeouts of a test.
    func remote(through proxy: FaultProxy) throws -> SFTPImages {
      let command = server.ssh.command() + " -o HostKeyAlias=\(SSHServer.alias)"
      return try server.remote(port: proxy.port) {
        $0.callSSH(command)
        $0.beImpatient()
      }
    }

    /// Checks on both sides that only whole images have the name of an image.
    func checkObjects() throws {
      #expect(try wrongObjects(in: server.store) == [])
      #expect(try wrongObjects(in: there.store) == [])
    }
  }

  @Test(
    "retries until it succeeds or gives up, and completes the next time",
    .enabled(if: isInstalled, SSHServer.missing), arguments: UInt64(0)..<12)
  func seeds(seed: UInt64) throws {
    let scene = try Scene()
    // With odd seeds, so many connections fail that a transfer may give up. With even seeds none
    // does, even if the machine is so busy that other connections fail as well.
    let (faults, attempts) = seed % 2 == 0 ? (4, 100) : (8, 2)
    for (direction, seed) in [(ImageDirection.upload, seed), (.download, seed + 1000)] {
      let plan = FaultPlan.random(
        seed: seed, connections: faults, within: FaultProxyTests.reach, rate: 400_000)
      let proxy = try FaultProxy(to: scene.server.ssh.port, plan)
      let remote = try scene.remote(through: proxy)
      let report =
        direction == .upload
        ? try ImageTransfer(remote, scene.here.store, .quick(attempts: attempts)).send(scene.images)
        : try ImageTransfer(remote, scene.there.store, .quick(attempts: attempts))
          .receive(scene.images)
      let injected = proxy.stop()
      // If the response to the last step of an upload is lost, the retry finds the image there.
      let done = report.transferred + report.known.count
      if let failure = report.failure {
        #expect(
          [.connectionLost, .unreachable].contains(failure.cause.kind),
          "\(failure), after \(injected)")
        #expect(failure.isTransient && !failure.cause.reason.isEmpty)
      } else {
        #expect(done == 4 && report.missing.isEmpty, "\(report), after \(injected)")
      }
      if seed % 2 == 0 { #expect(report.failure == nil, "after \(injected)") }
      try scene.checkObjects()

      let again =
        direction == .upload
        ? try ImageTransfer(scene.server.remote(), scene.here.store, .quick()).send(scene.images)
        : try ImageTransfer(scene.server.remote(), scene.there.store, .quick())
          .receive(scene.images)
      #expect(again.failure == nil && again.missing.isEmpty)
      // What has arrived is not transferred again.
      #expect(again.transferred <= 4 - done)
      try scene.checkObjects()
    }
    for image in scene.images {
      #expect(scene.there.bytes(of: image.id) == scene.here.bytes(of: image.id))
    }
  }

  /// Faults that must occur, each once.
  private static let faults: [FaultPlan.Fault] =
    FaultPlan.Direction.allCases.flatMap {
      direction -> [FaultPlan.Fault] in
      [
        .cut(direction, after: 0), .cut(direction, after: 1500), .cut(direction, after: 100_000),
        .truncate(direction, after: 0), .truncate(direction, after: 60_000),
        .stall(direction, after: 10), .stall(direction, after: 80_000),
        .flip(direction, after: 5), .flip(direction, after: 1000), .flip(direction, after: 90_000),
        .slow(direction, after: 0, rate: 200_000),
      ]
    } + [.refuse]

  @Test(
    "recovers from one fault of each kind",
    .enabled(if: isInstalled, SSHServer.missing), arguments: faults.indices)
  func each(number: Int) throws {
    let fault = FaultProxyTests.faults[number]
    let scene = try Scene()
    // The image goes both ways, so that faults of both directions occur.
    var injected: [String] = []
    for direction in [ImageDirection.upload, .download] {
      // One image, so that all of it goes over the connection that fails.
      let image = scene.images[0]
      let proxy = try FaultProxy(to: scene.server.ssh.port, .once(fault))
      let remote = try scene.remote(through: proxy)
      let report =
        direction == .upload
        ? try ImageTransfer(remote, scene.here.store, .quick(attempts: 100)).send([image])
        : try ImageTransfer(remote, scene.there.store, .quick(attempts: 100)).receive([image])
      injected += proxy.stop()
      let done = report.transferred + report.known.count
      #expect(done == 1 && report.failure == nil, "\(report), after \(injected)")
      try scene.checkObjects()
    }
    #expect(!injected.isEmpty, "no fault occurred")
  }

  @Test(
    "resumes a download that is interrupted again and again",
    .enabled(if: isInstalled, SSHServer.missing))
  func goesOn() throws {
    let scene = try Scene()
    let image = try scene.here.add(9, size: 3_000_000)
    _ = try ImageTransfer(scene.server.remote(), scene.here.store, .quick()).send([image])
    // Each connection transfers a part of the image; none could transfer all of it.
    let proxy = try FaultProxy(
      to: scene.server.ssh.port,
      .connections([[FaultPlan.Fault]](repeating: [.cut(.down, after: 1_000_000)], count: 20)))
    let received = try ImageTransfer(
      scene.remote(through: proxy), scene.there.store, .quick(attempts: 100)
    ).receive([image])
    let injected = proxy.stop()
    #expect(received.transferred == 1 && received.failure == nil, "\(received)")
    #expect(injected.count >= 2, "\(injected)")
    #expect(scene.there.bytes(of: image.id) == scene.here.bytes(of: image.id))
  }
}
