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

/// A network between this copy and a server that fails by a plan.
@Suite("Images through a network that fails")
struct FaultProxyTests {
  private static let isInstalled = SSHServer.isInstalled
  /// Where bytes of a connection may be cut and turned: sshd's greeting and keys take some thousands, the
  /// images the rest.
  private static let reach = 1_000_000

  /// The server and its images, behind a proxy.
  private struct Scene {
    let server: SFTPServer
    let (here, there): (Scratch, Scratch)
    let images: [Pointer]

    init() throws {
      (server, here, there) = (try SFTPServer(), try Scratch(), try Scratch())
      let here = here
      images = try (0..<4).map { try here.add($0, size: 150_000 + Int($0)) }
    }

    /// The remote as it is through a proxy; nobody is waited for longer than a test may.
    func remote(through proxy: FaultProxy) throws -> SFTPImages {
      let command = server.ssh.command() + " -o HostKeyAlias=\(SSHServer.alias)"
      return try server.remote(port: proxy.port) {
        $0.callSSH(command)
        $0.beImpatient()
      }
    }

    /// Nothing but whole images has an image's name, on either side.
    func checkObjects() throws {
      #expect(try wrongObjects(in: server.store) == [])
      #expect(try wrongObjects(in: there.store) == [])
    }
  }

  @Test(
    "faults by seed: retried until it succeeds, or one error; and then all is whole",
    .enabled(if: isInstalled, SSHServer.missing), arguments: UInt64(0)..<12)
  func seeds(seed: UInt64) throws {
    let scene = try Scene()
    // With odd seeds, so many connections fail that a transfer may be given up. With even seeds none is,
    // even on a machine so busy that connections fail on their own.
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
      let struck = proxy.stop()
      if let failure = report.failure {
        #expect(
          [.lost, .unreachable].contains(failure.cause.kind), "\(failure), after \(struck)")
        #expect(failure.isTransient && !failure.cause.reason.isEmpty)
      } else {
        #expect(report.moved == 4 && report.missing.isEmpty, "\(report), after \(struck)")
      }
      if seed % 2 == 0 { #expect(report.failure == nil, "after \(struck)") }
      try scene.checkObjects()

      let again =
        direction == .upload
        ? try ImageTransfer(scene.server.remote(), scene.here.store, .quick()).send(scene.images)
        : try ImageTransfer(scene.server.remote(), scene.there.store, .quick())
          .receive(scene.images)
      #expect(again.failure == nil && again.missing.isEmpty)
      // What had arrived does not move again.
      #expect(again.moved == 4 - report.moved)
      try scene.checkObjects()
    }
    for image in scene.images {
      #expect(scene.there.bytes(of: image.id) == scene.here.bytes(of: image.id))
    }
  }

  /// Faults that must come about, each once.
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
    "one fault of each kind is got over",
    .enabled(if: isInstalled, SSHServer.missing), arguments: faults.indices)
  func each(number: Int) throws {
    let fault = FaultProxyTests.faults[number]
    let scene = try Scene()
    // Whichever direction the bulk goes, a fault of it comes about.
    var struck: [String] = []
    for direction in [ImageDirection.upload, .download] {
      // So that the bulk is all on the connection that fails.
      let image = scene.images[0]
      let proxy = try FaultProxy(to: scene.server.ssh.port, .once(fault))
      let remote = try scene.remote(through: proxy)
      let report =
        direction == .upload
        ? try ImageTransfer(remote, scene.here.store, .quick(attempts: 100)).send([image])
        : try ImageTransfer(remote, scene.there.store, .quick(attempts: 100)).receive([image])
      struck += proxy.stop()
      #expect(report.moved == 1 && report.failure == nil, "\(report), after \(struck)")
      try scene.checkObjects()
    }
    #expect(!struck.isEmpty, "no fault came about")
  }

  @Test(
    "a download that breaks again and again goes on where it was",
    .enabled(if: isInstalled, SSHServer.missing))
  func goesOn() throws {
    let scene = try Scene()
    let image = try scene.here.add(9, size: 3_000_000)
    _ = try ImageTransfer(scene.server.remote(), scene.here.store, .quick()).send([image])
    // Each connection brings a part; none could bring all.
    let proxy = try FaultProxy(
      to: scene.server.ssh.port,
      .connections([[FaultPlan.Fault]](repeating: [.cut(.down, after: 1_000_000)], count: 20)))
    let came = try ImageTransfer(
      scene.remote(through: proxy), scene.there.store, .quick(attempts: 100)
    ).receive([image])
    let struck = proxy.stop()
    #expect(came.moved == 1 && came.failure == nil, "\(came)")
    #expect(struck.count >= 2, "\(struck)")
    #expect(scene.there.bytes(of: image.id) == scene.here.bytes(of: image.id))
  }
}
