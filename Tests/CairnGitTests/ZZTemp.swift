import CairnFiles
import SystemPackage
import Testing
@testable import CairnGit
@Suite struct ZZTemp {
  @Test func bench() throws {
    let sandbox = try Sandbox()
    let r = try sandbox.repository()
    for packs in [0, 30] {
      for p in 0..<packs { let w = PackWriter(r); _ = try w.write(.blob, Array("p\(p)".utf8)); try w.finish() }
      let t = ContinuousClock().measure {
        for i in 0..<5000 { _ = r.contains(ObjectID(hashing: .blob, Array("zz\(i)".utf8))) }
      }
      let t2 = ContinuousClock().measure {
        for i in 0..<5000 { _ = ObjectID(hashing: .blob, Array("zz\(i)".utf8)) }
      }
      print("BENCH packs \(packs): contains+hash \(t) hash \(t2)")
    }
  }
}
