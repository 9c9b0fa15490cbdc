import CairnDocument
import CairnGit
import CairnImages
import CairnStore
import CairnTransport
import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("Git LFS over an unreliable network")
struct LFSFaultTests {
  /// A server with its directory, and two copies.
  private struct Scene {
    let (served, here, there): (Scratch, Scratch, Scratch)
    let server: StrictLFSServer
    let images: [Pointer]

    init() throws {
      let (served, here) = (Scratch(), Scratch())
      (self.served, self.here, there) = (served, here, Scratch())
      server = try StrictLFSServer(served.path)
      images = try (0..<4).map { try here.add($0, size: 150_000 + Int($0)) }
    }

    /// Returns the remote through a proxy, with the short timeouts of a test.
    func remote(through proxy: FaultProxy) throws -> LFSImages {
      var context = TransportContext(GitSettings(), git: nil)
      context.beImpatient()
      let address = try #require(WebAddress("http://127.0.0.1:\(proxy.port)"))
      return LFSImages(LFSEndpoint(web: address), context, environment: .machine)
    }

    /// Checks on both sides that only whole images have the name of an image.
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

  @Test("retries until it succeeds or gives up, and completes the next time", arguments: 0..<8)
  func seeds(seed: UInt64) throws {
    let scene = try Scene()
    for (direction, seed) in [(ImageDirection.upload, seed), (.download, seed + 1000)] {
      let plan = FaultPlan.random(seed: seed, connections: 4, within: 300_000, rate: 400_000)
      let proxy = try FaultProxy(to: UInt16(scene.server.port), plan)
      // The server may be slow, too: what counts is that the transfer succeeds in the end.
      let report = try scene.transfer(direction, scene.remote(through: proxy), attempts: 100)
      let injected = proxy.stop()
      if let failure = report.failure {
        // A flipped bit may make a server respond with anything.
        #expect(injected.contains { $0.contains("flip") }, "\(failure), after \(injected)")
        #expect(!failure.cause.reason.isEmpty)
      } else {
        #expect(report.transferred == 4 && report.missing.isEmpty, "\(report), after \(injected)")
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

  /// The faults of requests: each kind of fault for each method and path.
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

  @Test("recovers from one fault of each kind", arguments: faults.indices)
  func each(number: Int) throws {
    let (name, fault) = LFSFaultTests.faults[number]
    let scene = try Scene()
    var injected: [String] = []
    for direction in [ImageDirection.upload, .download] {
      let proxy = try FaultProxy(to: UInt16(scene.server.port), .requests([fault]))
      let report = try scene.transfer(direction, scene.remote(through: proxy))
      injected += proxy.stop()
      #expect(
        report.failure == nil && report.transferred == 4, "\(name): \(report), after \(injected)")
      try scene.checkObjects()
    }
    #expect(!injected.isEmpty, "no fault occurred")
    #expect(Set(scene.server.log("put")).count == 4)
  }

  @Test(
    "shows what a server says about a refused upload, unless that repeats a secret",
    arguments: [
      ("This team has used up its quota.", true), ("I do not take a Bearer of this object.", false),
      ("The token signed-by-nobody has expired.", false),
      ("Nobody has the password fir-cone.", false),
    ])
  func sentence(text: String, isShown: Bool) throws {
    let (served, here) = (Scratch(), Scratch())
    let password = Data("ann:fir-cone".utf8).base64EncodedString()
    let login = text.contains("Bearer") ? "Bearer of this object" : "Basic \(password)"
    let server = try StrictLFSServer(
      served.path,
      #"{"refusal": "\#(text)", "query": "part=1&token=signed-by-nobody", "login": "\#(login)"}"#)
    let sent = try ImageTransfer(server.remote(), here.store, .quick()).send([here.add(1)])
    let cause = try #require(sent.failure).cause
    #expect(sent.transferred == 0 && cause.kind == .forbidden, "\(cause)")
    // It ends a sentence later.
    #expect(cause.reason.hasSuffix(": \(text.dropLast())") == isShown, "\(cause)")
    for secret in ["Bearer", "signed-by-nobody", "fir-cone"] {
      #expect(!cause.reason.contains(secret), "\(cause)")
    }
  }
}
