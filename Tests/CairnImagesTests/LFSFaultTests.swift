import CairnDocument
import CairnGit
import CairnImages
import CairnStore
import CairnTransport
import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("Git LFS through a network that fails")
struct LFSFaultTests {
  /// A server and two copies; what lies at the server is its directory.
  private struct Scene {
    let (served, here, there): (Scratch, Scratch, Scratch)
    let server: StrictLFSServer
    let images: [Pointer]

    init() throws {
      let (served, here) = (try Scratch(), try Scratch())
      (self.served, self.here, there) = (served, here, try Scratch())
      server = try StrictLFSServer(served.path)
      images = try (0..<4).map { try here.add($0, size: 150_000 + Int($0)) }
    }

    /// The remote as it is through a proxy; nobody is waited for longer than a test may.
    func remote(through proxy: FaultProxy) throws -> LFSImages {
      var context = TransportContext(GitSettings(), git: nil)
      context.beImpatient()
      let address = try #require(WebAddress("http://127.0.0.1:\(proxy.port)"))
      return LFSImages(LFSEndpoint(web: address), context, environment: .machine)
    }

    /// Nothing but whole images has an image's name, on either side.
    func checkObjects() throws {
      #expect(try wrongObjects(in: there.store) == [])
      let objects = URL(filePath: served.path.appending("objects").string)
      for name in try FileManager.default.contentsOfDirectory(atPath: objects.path)
      where name.count == 64 {
        let bytes = try Data(contentsOf: objects.appending(path: name))
        #expect(pointer(to: Array(bytes)).id.description == name)
      }
    }

    func transfer(
      _ direction: ImageDirection, _ remote: any ImageRemote, attempts: Int = 8
    ) throws -> ImageReport {
      direction == .upload
        ? try ImageTransfer(remote, here.store, .quick(attempts: attempts)).send(images)
        : try ImageTransfer(remote, there.store, .quick(attempts: attempts)).receive(images)
    }
  }

  @Test(
    "faults by seed: success after retries, or one error; and then all is whole", arguments: 0..<8)
  func seeds(seed: UInt64) throws {
    let scene = try Scene()
    for (direction, seed) in [(ImageDirection.upload, seed), (.download, seed + 1000)] {
      let plan = FaultPlan.random(seed: seed, connections: 4, within: 300_000, rate: 400_000)
      let proxy = try FaultProxy(to: UInt16(scene.server.port), plan)
      // The server may be slow, too: what counts is that it is got over, however often it takes.
      let report = try scene.transfer(direction, scene.remote(through: proxy), attempts: 100)
      let struck = proxy.stop()
      if let failure = report.failure {
        // A turned bit may make a server say anything.
        #expect(struck.contains { $0.contains("flip") }, "\(failure), after \(struck)")
        #expect(!failure.cause.reason.isEmpty)
      } else {
        #expect(report.moved == 4 && report.missing.isEmpty, "\(report), after \(struck)")
      }
      try scene.checkObjects()
      let again = try scene.transfer(direction, scene.server.remote())
      #expect(again.failure == nil && again.missing.isEmpty)
      try scene.checkObjects()
    }
    for image in scene.images {
      #expect(scene.there.bytes(of: image.id) == scene.here.bytes(of: image.id))
    }
  }

  /// What goes wrong of the requests that match.
  private static let faults: [(name: String, FaultPlan.RequestFault)] =
    ["POST /objects/batch", "PUT ", "GET ", "POST /verify"].flatMap(faults(of:))

  private static func faults(of match: String) -> [(name: String, FaultPlan.RequestFault)] {
    var faults = [500, 502, 503, 504, 429, 408].map { status in
      let fault = FaultPlan.RequestFault(match) {
        $0.status = status
        $0.times = 2
        if status == 429 || status == 503 { $0.retryAfter = 0 }
      }
      return (name: "\(status) of \(match)", fault)
    }
    faults.append(
      ("cut \(match)", FaultPlan.RequestFault(match) { $0.down = [.cut(.down, after: 0)] }))
    faults.append(
      ("short \(match)", FaultPlan.RequestFault(match) { $0.down = [.truncate(.down, after: 7)] }))
    return faults
  }

  @Test("one fault of each kind is got over", arguments: faults.indices)
  func each(number: Int) throws {
    let (name, fault) = LFSFaultTests.faults[number]
    let scene = try Scene()
    var struck: [String] = []
    for direction in [ImageDirection.upload, .download] {
      let proxy = try FaultProxy(to: UInt16(scene.server.port), .requests([fault]))
      let report = try scene.transfer(direction, scene.remote(through: proxy))
      struck += proxy.stop()
      #expect(report.failure == nil && report.moved == 4, "\(name): \(report), after \(struck)")
      try scene.checkObjects()
    }
    #expect(!struck.isEmpty, "no fault came about")
    #expect(Set(scene.server.log("put")).count == 4)
  }
}
