import CairnDocument
import CairnPhotos
import Testing

@Suite("Files that are not images")
struct UnsupportedFormatTests {
  @Test(
    "names a known format",
    arguments: [
      ("a HEIF other than HEIC", "\0\0\0\u{18}ftyphevc\0\0\0\0mif1hevc"),
      ("a video (QuickTime)", "\0\0\0\u{14}ftypqt  \0\0\0\0"),
      ("a video (MP4)", "\0\0\0\u{18}ftypmp42\0\0\0\0"),
      ("a video (MP4)", "\0\0\0\u{18}ftyp"),
      ("JPEG XL", "\0\0\0\u{C}JXL \r\n"),
      ("JPEG 2000", "\0\0\0\u{C}jP  \r\n"),
      ("a Photoshop file (PSD)", "8BPS\0\u{1}"),
      ("PDF", "%PDF-1.7\n"),
      ("a ZIP archive", "PK\u{3}\u{4}"),
      ("a video (AVI)", "RIFF\u{20}\0\0\0AVI LIST"),
      ("audio (WAV)", "RIFF\u{20}\0\0\0WAVEfmt "),
      ("a Git LFS pointer", "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\n"),
      ("a web page (HTML)", "<!DOCTYPE html>\n<html>"),
      ("a web page (HTML)", "\u{FEFF}\r\n  <HTML lang=en>"),
      ("a web page (HTML)", "<?xml version=\"1.0\"?>\n<html xmlns=\"…\">"),
      ("a web page (HTML)", "<!-- saved from a page -->\n<html>"),
      ("SVG", "<svg xmlns=\"http://www.w3.org/2000/svg\">"),
      ("SVG", "<?xml version=\"1.0\"?>\n<!-- drawn -->\n<svg>"),
      ("XML", "<?xml version=\"1.0\"?><Error><Code>NoSuchKey</Code></Error>"),
    ])
  func named(name: String, text: String) {
    #expect(refusal(of: Array(text.utf8)) == .unknownFormat(name))
  }

  @Test(
    "gives other bytes no name",
    arguments: [
      "x", "hello\n", "BM is also the start of a word", "<", "<p>", "RIFF\u{20}\0\0\0TEXTdata",
      "version 2", String(repeating: " ", count: 5000), String(repeating: "\0", count: 5000),
    ])
  func unnamed(text: String) {
    #expect(refusal(of: Array(text.utf8)) == .unknownFormat(nil))
  }

  @Test("reports a file or buffer without bytes as empty")
  func empty() {
    #expect(refusal(of: []) == .empty)
    #expect(throws: ImageError.empty) {
      try ImageFacts(inspecting: UnsafeRawBufferPointer(start: nil, count: 0))
    }
  }

  @Test(
    "describes an error so that it reads on after a file name",
    arguments: [
      (ImageError.empty, "is empty"),
      (.unknownFormat("PDF"), "looks like PDF, which is not an image that cairn reads"),
      (.unknownFormat(nil), "is not an image in a format that cairn reads"),
      (.truncated(.nef), "is a truncated raw photo (NEF)"),
      (.truncated(.jpeg), "is a truncated JPEG"),
      (.damaged(.webp, "its width is zero"), "is a damaged WebP: its width is zero"),
      (
        .tooLarge(width: 65535, height: 65000),
        "has 65535 × 65000 pixels, more than the limit of 1073741824"
      ),
    ])
  func descriptions(error: ImageError, text: String) {
    #expect("\(error)" == text)
  }
}
