import Foundation
import TestSupport
import Testing

@Suite("cairn export features")
struct ExportFeaturesTests {
  @Test("writes a row of floats for each photo, in the order of the ids")
  func rows() throws {
    let box = try Sandbox.textures()
    let report = try box.cairn("export", "features", "../out", "--json", in: "a").json()
    #expect(report["photos"].number == 36 && report["features"].number == 6144)
    let bytes = try box.read("out/features.npy")
    #expect(bytes.starts(with: [0x93] + Array("NUMPY".utf8)))
    let start = 10 + Int(bytes[8]) + 256 * Int(bytes[9])
    #expect(start % 64 == 0 && bytes.count == start + 4 * 36 * 6144)
    let ids = try box.text("out/photos.csv").split(separator: "\r\n").map(String.init)
    let photos = Array(ids.dropFirst())
    #expect(ids.first == "photo" && photos.count == 36 && photos.sorted() == photos)
    // Each row is two vectors of length 1.
    let row = bytes[start..<(start + 4 * 6144)].withUnsafeBytes { bytes in
      (0..<6144).map { bytes.loadUnaligned(fromByteOffset: 4 * $0, as: Float.self) }
    }
    #expect(abs(row.reduce(0) { $0 + $1 * $1 } - 2) < 1e-3)
    let again = try box.runCairn(["export", "features", "../out"], in: "a")
    #expect(again.status == ExitStatus.existsOrFull, "\(again.all)")
  }

  @Test("says how many photos are left out, because their images were erased")
  func erased() throws {
    let box = try Sandbox.textures()
    try box.cairn(
      "photo", "erase", Textures.file("dots", 0), "--reason", "a face", "--yes", in: "a")
    let report = try box.cairn("export", "features", "../out", "--json", in: "a").json()
    #expect(report["photos"].number == 35 && report["erasedImages"].elements.count == 1)
    let shown = try box.cairn("export", "features", "../other", in: "a")
    #expect(shown.stderr.contains("1 photo left out: the image was erased"), "\(shown.all)")
  }

  private static let python = Python.program(having: "numpy")

  @Test(
    "writes what NumPy reads, for the photos that a query finds and whose images are here",
    .enabled(if: python != nil, "there is no NumPy: `make setup` installs it"))
  func numPy() throws {
    let box = try Sandbox.textures()
    try box.replaceBlob(of: try box.photoID(Textures.file("dots", 3)), with: nil)
    let output = try box.cairn(
      "export", "features", "../out", "--find", "label:dots", in: "a")
    #expect(output.stderr.contains("1 photo left out"), "\(output.all)")
    let shape = try box.succeed(
      try #require(Self.python),
      [
        "-c",
        """
        import numpy
        features = numpy.load("out/features.npy")
        assert features.dtype == numpy.float32 and numpy.isfinite(features).all()
        print(*features.shape)
        """,
      ])
    #expect(shape.stdout == "11 6144\n")
  }

  private static let pyarrow = Python.program(having: "pandas, pyarrow")

  @Test(
    "writes what pandas turns into Parquet",
    .enabled(if: pyarrow != nil, "there is no pyarrow: `make setup` installs it"))
  func parquet() throws {
    let box = try Sandbox.textures()
    try box.cairn("export", "features", "../features", "--find", "label:dots", in: "a")
    let output = try box.succeed(
      try #require(Self.pyarrow),
      [
        "-c",
        """
        import numpy as np
        import pandas as pd
        features = np.load("features/features.npy")
        photos = pd.read_csv("features/photos.csv")["photo"]
        pd.DataFrame({"photo": photos, "features": list(features)}).to_parquet("features.parquet")
        table = pd.read_parquet("features.parquet")
        assert list(table["photo"]) == list(photos)
        assert (np.stack(table["features"]) == features).all()
        print(*features.shape, table["features"][0].dtype)
        """,
      ])
    #expect(output.stdout == "12 6144 float32\n")
  }
}
