import CairnFormats
import Foundation
import Testing

@Suite("Import formats of archives and their descriptions")
struct ArchiveFormatTests {
  /// Returns a member of a tar archive. Source: POSIX.1-1988 “ustar”.
  static func member(_ name: String, _ bytes: Data, type: Character = "0") -> Data {
    var header = [UInt8](repeating: 0, count: 512)
    func put(_ text: String, at offset: Int) {
      header.replaceSubrange(offset..<offset + text.utf8.count, with: Array(text.utf8))
    }
    func octal(_ number: Int, _ digits: Int) -> String {
      let text = String(number, radix: 8)
      return String(repeating: "0", count: digits - text.count) + text
    }
    put(String(name.prefix(100)), at: 0)
    put("0000644\0" + "0000000\0" + "0000000\0", at: 100)
    put(octal(bytes.count, 11), at: 124)
    put(octal(0, 11), at: 136)
    put("        ", at: 148)
    put(String(type), at: 156)
    put("ustar\0" + "00", at: 257)
    put(octal(header.reduce(0) { $0 + Int($1) }, 6) + "\0 ", at: 148)
    let padding = Data(repeating: 0, count: (512 - bytes.count % 512) % 512)
    return Data(header) + bytes + padding
  }

  private static func member(_ name: String, _ text: String, type: Character = "0") -> Data {
    member(name, Data(text.utf8), type: type)
  }

  private static let end = Data(repeating: 0, count: 1024)

  @Test("reads the samples of WebDataset archives, with long names and captions")
  func webDataset() throws {
    let long = "shard/" + String(repeating: "n", count: 120)
    let pax = "path=\(long).jpg\n"
    let record = "\(pax.utf8.count + 4) \(pax)"
    var archive = Self.member("./", "", type: "5")
    archive += Self.member("a/0001.jpg", "one")
    archive += Self.member("a/0001.cls", "1\n")
    archive += Self.member("a/0001.txt", "A hill ")
    archive += Self.member("a/0002.json", #"{"label": "elm", "caption": "Two", "key": "0002"}"#)
    archive += Self.member("a/0002.cls", "0")
    archive += Self.member("a/0002.png", "two")
    archive += Self.member("PaxHeaders/x", record, type: "x")
    archive += Self.member("short.jpg", "three")
    archive += Self.member("a/0004.jpg", "four")
    archive += Self.member("a/0004.cls", "7")
    archive += Self.member("a/0004.depth.npy", "x")
    archive += Self.member("a/0005.cls", "0")
    archive += Self.end
    let read = try ReadFiles(
      .webdataset, ["train-000000.tar": archive, "classes.txt": Data("oak\nash\n".utf8)])
    #expect(read.error == nil)
    #expect(
      read.photos == [
        "train-000000.tar/a/0001.jpg: ash", "train-000000.tar/a/0002.png: elm",
        "train-000000.tar/\(long).jpg",
      ])
    #expect(read.items.map(\.metadata.caption) == ["A hill", "Two", nil])
    #expect(read.items[0].metadata.source == "0001.jpg")
    #expect(read.items.allSatisfy { $0.content != nil })
    #expect(
      read.problems == [
        "train-000000.tar/a/0004.jpg: the class 7 has no name; write the names in classes.txt next "
          + "to the archive"
      ])
    #expect(
      read.notes == [
        "ignored: files “.depth.npy” of samples, once", "ignored: samples without an image, once",
        "ignored: “key” of photos, once",
      ])
  }

  @Test("reports archives that are damaged, cut off or have impossible sizes")
  func damagedArchives() throws {
    let good = Self.member("a.jpg", "one")
    var huge = good
    huge.replaceSubrange(124..<136, with: [0x80] + [UInt8](repeating: 0xFF, count: 11))
    for (archive, message) in [
      (Data(repeating: 7, count: 2048), "not a tar archive"), (huge, "not a tar archive"),
      (good.prefix(512) + Data(), "cut off"), (good + Data(repeating: 1, count: 600), "not a tar"),
    ] {
      let read = try ReadFiles(.webdataset, ["a.tar": archive])
      #expect(read.problems.count == 1)
      #expect(read.problems.first?.contains(message) == true, "\(read.problems)")
    }
  }

  @Test("reads the tables that a Croissant description names")
  func croissant() throws {
    func description(_ url: String, encoding: String = "text/csv") -> String {
      """
      {"@context": {"@vocab": "https://schema.org/"}, "@type": "sc:Dataset", "name": "x",
       "distribution": [
        {"@type": "cr:FileObject", "@id": "table", "contentUrl": "\(url)",
         "encodingFormat": "\(encoding)"},
        {"@type": "cr:FileObject", "@id": "unused", "contentUrl": "b.csv",
         "encodingFormat": "text/csv"},
        {"@type": "cr:FileSet", "@id": "images", "includes": "*.jpg"}],
       "recordSet": [{"@type": "cr:RecordSet", "@id": "labels", "field": [
        {"@type": "cr:Field", "@id": "labels/label", "dataType": "sc:Text",
         "source": {"fileObject": {"@id": "table"}, "extract": {"column": "label"}}}]}]}
      """
    }
    let csv = "file_name,label\na.jpg,oak\n"
    let read = try ReadFiles(
      .croissant, ["croissant.json": description("a.csv"), "a.csv": csv, "b.csv": csv])
    #expect(read.photos == ["a.jpg: oak"])
    #expect(read.error == nil && read.problems.isEmpty)
    let lines = try ReadFiles(
      .croissant,
      [
        "croissant.json": description("a.jsonl", encoding: "application/jsonlines"),
        "a.jsonl": #"{"file_name": "a.jpg", "labels": ["elm"]}"#,
      ])
    #expect(lines.photos == ["a.jpg: elm"])
    for (description, message) in [
      (description("https://example.org/a.csv"), "download it to this directory"),
      (description("../a.csv"), "is not a file in this directory"),
      (description("a.zip", encoding: "application/zip"), "use no file in CSV or JSON Lines"),
      ("{}", "not a Croissant file"), ("{", "line 1"),
    ] {
      let read = try ReadFiles(.croissant, ["croissant.json": description, "a.csv": csv])
      #expect(read.error?.contains(message) == true, "\(read.error ?? "no error")")
    }
  }
}
