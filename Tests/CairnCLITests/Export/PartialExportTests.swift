import Foundation
import TestSupport
import Testing

@Suite("cairn export: interrupted exports and Hugging Face tables")
struct PartialExportTests {
  @Test("removes what killed exports to the same path left behind")
  func abandoned() throws {
    let scene = try FormatScene()
    let box = scene.box
    // Directories of two killed exports, and of other programs.
    try box.sh(
      """
      mkdir -p out.0123456789abcdef.cairn-export/images out.fedcba9876543210.cairn-export
      echo x > out.0123456789abcdef.cairn-export/images/x.png
      mkdir out.old.cairn-export out.tmp another.0123456789abcdef.cairn-export
      """)
    _ = try scene.export("csv")
    let left = try box.sh("ls").stdout.split(separator: "\n").filter { $0.contains(".") }.sorted()
    #expect(left == ["another.0123456789abcdef.cairn-export", "out.old.cairn-export", "out.tmp"])
  }

  @Test("keeps the directory of an export that is still running")
  func concurrent() throws {
    let scene = try FormatScene()
    let box = scene.box
    let name = "out.0123456789abcdef.cairn-export"
    try box.sh("mkdir \(name)")
    let holder = try box.command("flock", ["-F", name, "sleep", "60"]).start()
    defer { holder.kill() }
    try box.sh("until ! flock -n \(name) true; do :; done")
    _ = try scene.export("csv")
    #expect(box.exists(name))
  }

  @Test(
    "writes subsets with and without boxes, positions and labels that load as one dataset",
    .enabled(if: Programs.clients != nil, Programs.missingClients))
  func huggingFaceParts() throws {
    let scene = try FormatScene()
    let box = scene.box
    try box.makeImages(100..<120, in: "more")
    try box.cairn("photo", "add", "../more", in: "a")
    let split = "train=1,validation=1,test=1"
    try box.cairn("export", "jsonl", "../parts", "--split", split, in: "a")
    // The subset of photo 0 has boxes, positions and labels, the others only photos.
    let rows = try box.text("parts/photos.jsonl").split(separator: "\n").map {
      try JSONDecoder().decode(JSONValue.self, from: Data($0.utf8))
    }
    let subset = Dictionary(
      uniqueKeysWithValues: rows.map { ($0["photo"].string, $0["split"].string) })
    let full = try #require(subset[scene.photos[0]])
    let query = rows.filter { $0["split"].string != full }.map { $0["photo"].string }
    for photo in query where scene.photos.contains(photo) {
      try box.cairn("photo", "remove", photo, in: "a")
    }
    let report = try scene.export("huggingface", to: "out", "--split", split)
    let sizes = report["splits"]
    let output = try scene.python(
      """
      from datasets import load_dataset
      data = load_dataset("imagefolder", data_dir=".", cache_dir="cache")
      assert set(data) == {"train", "validation", "test"}, data
      assert len({str(part.features) for part in data.values()}) == 1
      for name, part in data.items():
          full = name == "\(full)"
          rows = list(part)
          assert any(r["objects"]["bbox"] for r in rows) == full
          assert any(r["latitude"] is not None for r in rows) == full
          assert any(r["label"] for r in rows) == full
          for r in rows:
              assert r["image"].size == (r["width"], r["height"])
              assert len(r["objects"]["bbox"]) == len(r["objects"]["scores"])
      print(json.dumps({name: len(part) for name, part in data.items()}))
      """)
    let counts = try JSONDecoder().decode(
      JSONValue.self, from: Data(try #require(output.lines.last).utf8))
    for name in ["train", "validation", "test"] { #expect(counts[name] == sizes[name]) }
    #expect(
      ["train", "validation", "test"].reduce(0) { $0 + counts[$1].number }
        == report["photos"].number)
  }

  @Test(
    "writes Parquet tables with the same values as JSON Lines, even in long lists",
    .enabled(if: Programs.clients != nil, Programs.missingClients))
  func parquet() throws {
    let scene = try FormatScene()
    let box = scene.box
    for index in 0..<40 {
      try box.cairn(
        "label", scene.photos[1], "tree-\(index)", "--region", "0.1,0.1,0.\(index + 10),0.5",
        in: "a")
    }
    _ = try scene.export("huggingface")
    #expect(try scene.export("jsonl", to: "lines")["photos"].number == 6)
    _ = try scene.python(
      """
      import pyarrow.parquet as pq
      file = pq.ParquetFile("train/metadata.parquet")
      table = file.read().to_pylist()
      lines = {p["photo"]: p for p in map(json.loads, open("../lines/photos.jsonl"))}
      assert len(table) == len(lines) == file.metadata.num_rows == 6
      for row in table:
          line = lines[row["photo"]]
          there = [l for l in line["labels"] if l["state"] != "rejected"]
          assert row["labels"] == [l["label"] for l in there]
          assert row["confidences"] == [l["confidence"] for l in there]
          boxes = [(l["label"], r) for l in there for r in l.get("regions", [])]
          assert row["objects"]["categories"] == [name for name, _ in boxes]
          for (_, r), b in zip(boxes, row["objects"]["bbox"]):
              want = [r["x"] * row["width"], r["y"] * row["height"],
                      r["width"] * row["width"], r["height"] * row["height"]]
              assert all(abs(x - y) < 1e-6 for x, y in zip(want, b)), (want, b)
          for key in ("title", "pin_name", "latitude", "caption", "author"):
              assert row[key] == line.get(key), key
      """)
  }
}
