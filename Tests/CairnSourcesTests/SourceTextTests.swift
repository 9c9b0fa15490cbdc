import CairnDocument
import CairnHTTP
import Testing

@testable import CairnSources

@Suite("Texts and addresses from services")
struct SourceTextTests {
  @Test(
    "rejects addresses that are not web addresses",
    arguments: [
      "file:///etc/passwd", "FILE:///etc/passwd", "ftp://example.org/a.jpg", "data:image/png,x",
      "javascript:alert(1)", "//example.org/a.jpg", "/a.jpg", "a.jpg", "", "http://", "https:///a",
      "http://user:secret@example.org/a.jpg", "http://exa mple.org/a.jpg", "http://:80/a",
      "https://example.org/a\nHost: other", "https://example.org/\u{0}",
      "https://example.org/" + String(repeating: "a", count: 5000),
    ])
  func refused(text: String) {
    #expect(WebLocation(text) == nil)
  }

  @Test("encodes an address as a browser does and derives a file name")
  func locations() throws {
    let plain = try #require(WebLocation("HTTPS://Upload.Example.org:8443/a/Ça%20b c.jpg?x=1#top"))
    #expect(plain.text == "HTTPS://Upload.Example.org:8443/a/%C3%87a%20b%20c.jpg?x=1")
    #expect(plain.host == "upload.example.org:8443")
    for (address, name) in [
      ("https://e.org/a/%C3%87a%20b1.jpg?x=/y", "Ça b1.jpg"),
      ("https://e.org/photos/90004/large.jpeg", "90004-large.jpeg"),
      ("https://e.org", "photo"), ("https://e.org/", "photo"),
      ("https://e.org/..%2F..%2Fetc1", "_.._etc1"),
      ("https://e.org/.git1", "git1"), ("https://e.org/1%00%0Ab", "1__b"),
    ] {
      #expect(WebLocation(address)?.fileName == name, "\(address)")
    }
    #expect(
      WebLocation.query("https://e.org/a", [("q", "a&b=c d"), ("é", "1|2")])
        == "https://e.org/a?q=a%26b%3Dc%20d&%C3%A9=1%7C2")
  }

  @Test("reduces a text to one line and HTML to what it shows")
  func texts() {
    #expect(SourceText.line("  a\u{1B}[31m\n\tb\u{202E}c  ") == "a [31m bc")
    #expect(SourceText.line(" \n ") == nil)
    #expect(SourceText.line(String(repeating: "é", count: 900))?.utf8.count == 1024)
    #expect(
      SourceText.plain("<a href=\"//x\" title='a>b'>Ann &amp; Bob</a>, <b>both</b> &#233;&#x41;")
        == "Ann & Bob, both éA")
    #expect(SourceText.plain("a < b & c &nosuch; &#xD800; <unclosed") == "a")
    #expect(SourceText.plain("<script></script>") == nil)
  }

  @Test(
    "recognizes a license in every notation",
    arguments: [
      ("by-sa", LicenseKind.bySA), ("CC BY-SA 4.0", .bySA), ("cc-by-sa-4.0", .bySA),
      ("CC BY-SA 3.0 de", .bySA), ("by", .by), ("CC BY 2.0", .by), ("cc-by-nc-nd-2.0", .byNCND),
      ("CC BY-NC", .byNC), ("CC0", .cc0), ("cc0", .cc0), ("cc-zero", .cc0), ("pd", .pdm),
      ("Public domain", .pdm), ("pdm", .pdm), ("us-gov", .usGov),
      ("all-rights-reserved", .allRightsReserved),
    ])
  func licences(text: String, kind: LicenseKind) {
    #expect(LicenseKind(text) == kind)
  }

  @Test(
    "recognizes no license in other texts",
    arguments: ["", "GFDL", "cc", "by-by", "bye", "nc", "cc-sa-by"])
  func noLicence(text: String) {
    #expect(LicenseKind(text) == nil)
  }

  @Test("names a license and gives its address only for a valid version")
  func licenceNames() {
    let licence = License(.byNCSA, version: "2.0")
    #expect(licence.name == "CC BY-NC-SA 2.0")
    #expect(licence.url == "https://creativecommons.org/licenses/by-nc-sa/2.0/")
    #expect(License(.by).name == "CC BY")
    #expect(License(.by, version: "../../x").url == nil)
    let other = License(name: "GFDL", code: "gfdl", url: "https://www.gnu.org/copyleft/fdl.html")
    #expect(other?.kind == nil && other?.text == "GFDL")
    #expect(License(name: nil, code: nil, url: "javascript:x") == nil)
    #expect(License(name: nil, code: nil, url: "https://e.org/l")?.text == "https://e.org/l")
  }

  @Test("gives a photo the same key for equivalent addresses")
  func keys() throws {
    var a = SourcePhoto(.web(try #require(WebLocation("https://images.example.org/1.jpg"))))
    a.page = "https://www.flickr.com/photos/otto/1/"
    var credit = Credit()
    (credit.page, credit.url) = (
      "http://WWW.flickr.com/photos/otto/1", "https://elsewhere.org/2.jpg"
    )
    #expect(!Set(SourcePhoto.keys(of: credit)).isDisjoint(with: a.keys))
    credit.page = "http://www.flickr.com/photos/Otto/1"
    #expect(Set(SourcePhoto.keys(of: credit)).isDisjoint(with: a.keys))
  }

  @Test(
    "removes secrets of an address from the credit",
    arguments: [
      (
        "https://b.s3.org/a.jpg?versionId=7&X-Amz-Signature=ab&x-amz-date=1&X-Amz-Credential=k",
        "https://b.s3.org/a.jpg?versionId=7"
      ),
      ("https://e.org/a.jpg?sv=2&sig=a%2Bb&se=9", "https://e.org/a.jpg?sv=2&se=9"),
      ("https://e.org/a.jpg?API_key=1&w=640", "https://e.org/a.jpg?w=640"),
      ("https://e.org/a.jpg?%74oken=1", "https://e.org/a.jpg"),
      ("https://e.org/a.jpg?key&monkey=1&&keyboard", "https://e.org/a.jpg?monkey=1&&keyboard"),
      ("https://e.org/token=1/a.jpg?", "https://e.org/token=1/a.jpg?"),
      ("https://e.org/a.jpg", "https://e.org/a.jpg"),
    ])
  func secrets(address: String, open: String) throws {
    var photo = SourcePhoto(.web(try #require(WebLocation(address))))
    photo.page = address
    let credit = photo.credit(from: .urls)
    #expect(credit.url == open && credit.page == open)
  }

  @Test("hides secrets of an address when it is printed")
  func printedSecrets() throws {
    let location = try #require(WebLocation("https://e.org/a.jpg?w=1&token=s3cret"))
    #expect("\(location)" == "https://e.org/a.jpg?w=1" && location.text.contains("s3cret"))
    #expect(SourcePhoto(.web(location)).name == "\(location)")
    for (address, open) in [
      ("ftp://ann:s3cret@e.org/a@b", "ftp://e.org/a@b"), ("https://e.org/a@b", "https://e.org/a@b"),
      ("https://a@b:c@e.org?key=1", "https://e.org"), ("a@b", "a@b"),
    ] {
      #expect(WebLocation.withoutSecrets(address) == open)
    }
  }

  @Test("gives the same key when only a signature differs, not when a key differs")
  func signatures() {
    #expect(
      SourcePhoto.key("https://e.org/a?X-Amz-Date=1&X-Amz-Signature=2")
        == SourcePhoto.key("http://e.org/a?X-Amz-Date=3&X-Amz-Signature=4"))
    #expect(SourcePhoto.key("https://e.org/a?key=1") != SourcePhoto.key("https://e.org/a?key=2"))
  }

  @Test("reads one address per line and reports the first invalid line")
  func lists() throws {
    let text = "# mine\r\n\nhttps://e.org/1.jpg\n  http://e.org/2 b.jpg  \n"
    #expect(
      try URLListSource.locations(in: text).map(\.text)
        == ["https://e.org/1.jpg", "http://e.org/2%20b.jpg"])
    let error = #expect(throws: SourceError.self) {
      try URLListSource.locations(in: "https://e.org/1\nfile:///etc/passwd\nx")
    }
    #expect(error?.message.contains("line 2") == true)
  }
}
