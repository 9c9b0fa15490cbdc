import Testing

@testable import CairnLabelers

@Suite("Web origins")
struct WebOriginTests {
  @Test(
    "is equal when scheme, host and port are equal",
    arguments: [
      ("http://h/a", "http://H:80?b"), ("https://h.example.org", "https://h.example.org:443/"),
      ("http://[::1]:8080/x", "HTTP://[::1]:8080"), ("http://h:/", "http://h"),
    ])
  func equal(a: String, b: String) {
    #expect(WebOrigin(a) != nil && WebOrigin(a) == WebOrigin(b))
  }

  @Test(
    "differs when scheme, host or port differs",
    arguments: [
      ("http://[::1]:8080/x", "http://[::2]:8080/x"), ("http://[::1]/", "http://[::1]:8080/"),
      ("http://h/", "https://h/"), ("http://h/", "https://h:80/"), ("http://h/", "http://h:81/"),
      ("http://h/", "http://h.example.org/"),
    ])
  func different(a: String, b: String) {
    #expect(WebOrigin(a) != nil && WebOrigin(b) != nil && WebOrigin(a) != WebOrigin(b))
  }

  @Test(
    "is nil for an address that could be read in two ways",
    arguments: [
      "http://h@evil.example.org/", "http://me:pw@h/", "http://", "http://:80/", "http://h:80:81/",
      "http://[::1/", "http://[::1]x/", "http://h\u{200B}/", "http://h:8o/", "ftp://h/", "//h/",
      "http://h:99999999999999999999/", #"http://h\@evil.example.org/"#, #"http://h\/"#,
    ])
  func none(text: String) {
    #expect(WebOrigin(text) == nil)
  }
}
