import CairnGit
import Testing

@testable import CairnTransport

@Suite("Remote addresses")
struct AddressTests {
  @Test(
    "parses git's forms of ssh addresses",
    arguments: [
      ("git@example.org:foo/bar.git", "git@example.org", nil, "foo/bar.git"),
      ("example.org:~ann/x", "example.org", nil, "~ann/x"),
      ("host:/abs/a b.git", "host", nil, "/abs/a b.git"),
      ("[git@example.org:2222]:foo.git", "git@example.org", 2222, "foo.git"),
      ("[::1]:foo.git", "::1", nil, "foo.git"),
      ("git@[::1]:foo.git", "git@::1", nil, "foo.git"),
      ("ssh://git@example.org:2222/foo%20bar.git", "git@example.org", 2222, "/foo bar.git"),
      ("ssh://example.org/~ann/x", "example.org", nil, "~ann/x"),
      ("ssh://[::1]:22/x", "::1", 22, "/x"),
      ("git+ssh://h/x", "h", nil, "/x"),
    ] as [(String, String, UInt16?, String)])
  func ssh(text: String, destination: String, port: UInt16?, path: String) throws {
    guard case .ssh(let address) = try RemoteAddress(text) else {
      Issue.record("\(text) is not parsed as ssh")
      return
    }
    #expect(address.destination == destination)
    #expect(address.port == port)
    #expect(address.path == path)
  }

  @Test(
    "rejects addresses that look like options or contain forbidden characters",
    arguments: [
      "", "-oProxyCommand=x:y", "ssh://-oProxyCommand=x/y", "ssh://-l@h/x", "h:-x", "ssh://h",
      "ssh://h/", "ssh://h:0/x", "ssh://h:70000/x", "ssh://h:+1/x", "ssh://a%0ab/x", "h:",
      "ext::sh -c x",
      "git://h/x", "ftp://h/x", "https:///x", "https://a%0a@h/x", "https://h?x/y", "a\nb:c",
      "ssh://%2doProxyCommand=x/y", "ssh://you@h/x%27%CC%81;id;%27%CC%81", "-\u{301}o:x",
      "ssh://h%2f%CC%81/x", "ssh://-%CC%81o/x",
    ])
  func refused(text: String) {
    #expect(throws: RemoteAddress.Malformed.self) { try RemoteAddress(text) }
  }

  @Test("parses paths as directories")
  func paths() throws {
    for text in ["/a", "a/b", "../x", "./a:b", "/media/a:b"] {
      #expect(try RemoteAddress(text) == .directory(text))
    }
    #expect(try RemoteAddress("file:///a%20b") == .directory("/a b"))
  }

  @Test("hides the password of an address, and a user name that may be a token")
  func secrets() throws {
    let text = "https://ann:s3cret%40x@example.org:8443/a/b.git"
    guard case .web(let address) = try RemoteAddress(text) else { return #expect(Bool(false)) }
    #expect(address.password == "s3cret@x")
    #expect(address.base == "https://example.org:8443/a/b.git")
    #expect(address.text == "https://example.org:8443/a/b.git")
    #expect(address.withoutPassword == "https://ann@example.org:8443/a/b.git")
    #expect(RemoteAddress.withoutPassword(text) == "https://ann@example.org:8443/a/b.git")
    let malformed = #expect(throws: RemoteAddress.Malformed.self) {
      try RemoteAddress("https://ann:s3cret/x@h/y")
    }
    for shown in [
      "\(address)", String(reflecting: address), "\(try RemoteAddress(text))",
      RemoteAddress.withoutSecret(text), RemoteAddress.withoutSecret("ftp://ann:s3cret@h/x"),
      RemoteAddress.withoutSecret("https://ann:s3cret/x@h/y"), "\(malformed)",
    ] {
      #expect(!shown.contains("s3cret"), "\(shown)")
    }
    for (text, shown) in [
      ("https://ghp_s3cret@example.org/o/r.git", "https://example.org/o/r.git"),
      ("davs://s3cret:x@h:8080/a@b", "davs://h:8080/a@b"), ("dav://h:8080/a@b", "dav://h:8080/a@b"),
      ("age+davs://s3cret@h/a#age1x", "age+davs://h/a#age1x"),
      ("dav://[::1]/a@b", "dav://[::1]/a@b"),
      ("age+sftp://ann:s3cret@h/a#age1x", "age+sftp://ann@h/a#age1x"),
      ("https://s3cret@h:x/y", "https://h:x/y"), ("ssh://git@h/x", "ssh://git@h/x"),
      ("git@h:x", "git@h:x"), ("/a@b", "/a@b"), ("file:///a@b", "file:///a@b"),
      ("s3://s3cret:x@photos?profile=me@work", "s3://photos?profile=me@work"),
    ] {
      #expect(RemoteAddress.withoutSecret(text) == shown)
    }
  }

  @Test(
    "keeps the profile of a bucket's URL, which may contain “@”",
    arguments: [
      "s3://photos?profile=me@work", "s3://photos?profile=me:a@work",
      "s3://photos/a?profile=me@work",
      "s3://photos?region=eu-west-1&profile=a/me@work",
      "s3://photos?endpoint=https://h:1&profile=me@work", "age+s3://photos?profile=me@work#age1x",
    ])
  func profiles(url: String) {
    #expect(RemoteAddress.withoutWebLogin(url) == url)
    #expect(RemoteAddress.withoutPassword(url) == url)
    #expect(RemoteAddress.withoutSecret(url) == url)
  }

  @Test("builds the ssh command as git does")
  func command() throws {
    guard case .ssh(let address) = try RemoteAddress("ssh://ann@h:22/a'b c!") else { return }
    func call(_ settings: [(String, String)], _ variables: [String: String] = [:]) throws
      -> [String]
    {
      var git = GitSettings()
      git.entries = settings.map { (key: $0.0, value: $0.1) }
      let call = try SSHCommand(git, variable: { variables[$0] }).call(address, running: "git x")
      return [call.program] + call.arguments
    }
    let arguments = ["-p", "22", "ann@h", "git x"]
    #expect(try call([]) == ["ssh"] + arguments)
    #expect(
      try call([("core.sshcommand", "ssh -v")])
        == ["sh", "-c", "ssh -v \"$@\"", "ssh -v"] + arguments)
    #expect(
      try call([("core.sshcommand", "a")], ["GIT_SSH_COMMAND": "b -i 'x y'"])
        == ["sh", "-c", "b -i 'x y' \"$@\"", "b -i 'x y'"] + arguments)
    #expect(try call([], ["GIT_SSH": "/my programs/ssh"]) == ["/my programs/ssh"] + arguments)
    #expect(try call([], ["GIT_SSH": "/x/plink"]) == ["/x/plink", "-P", "22", "ann@h", "git x"])
    #expect(throws: TransportError.self) { try call([("ssh.variant", "simple")]) }
    let sftp = { (variant: String) in
      var git = GitSettings()
      git.entries = [(key: "ssh.variant", value: variant)]
      return try SSHCommand(git, variable: { _ in nil }).call(address, subsystem: "sftp")
    }
    #expect(try sftp("ssh").arguments == ["-p", "22", "-s", "ann@h", "sftp"])
    #expect(try sftp("plink").arguments == ["-P", "22", "-s", "ann@h", "sftp"])
    #expect(throws: TransportError.self) { try sftp("simple") }
    #expect(SSHCommand.quoted(address.path) == #"'/a'\''b c'\!''"#)
    #expect(SSHCommand.word(address.path) == SSHCommand.quoted(address.path))
    #expect(SSHCommand.word("~/ann/Walk-1_2.git") == "~/ann/Walk-1_2.git")
    #expect(
      SSHCommand.quoted("'\u{301}").unicodeScalars.elementsEqual("''\\''\u{301}'".unicodeScalars))
  }

  @Test("parses sftp addresses and rejects invalid ones")
  func sftp() throws {
    let address = try SSHAddress(sftp: "SFTP://ann:secret@h:23/srv/my%20walk.git/lfs")
    #expect((address.user, address.host, address.port) == ("ann", "h", 23))
    #expect(address.path == "/srv/my walk.git/lfs")
    #expect(address.text == "sftp://ann@h:23/srv/my%20walk.git/lfs")
    #expect(try SSHAddress(sftp: "sftp://h/~/a").path == "~/a")
    for text in [
      "ssh://h/a", "sftp://h", "sftp://h/", "sftp:///a", "sftp://-oProxyCommand=x/a",
      "sftp://h:x/a",
      "sftp://h/a\nb",
    ] {
      #expect(throws: RemoteAddress.Malformed.self, "\(text)") { try SSHAddress(sftp: text) }
    }
  }

  @Test("uses the http settings of the URL that matches best")
  func settings() throws {
    var git = GitSettings()
    git.entries = [
      ("http.proxy", "a"), ("http.https://example.org.proxy", "b"),
      ("http.https://example.org/x/.proxy", "c"), ("http.https://*.example.org.proxy", "d"),
      ("http.https://ann@example.org/x.proxy", "e"), ("http.http://example.org/x/y.proxy", "f"),
    ].map { (key: $0.0, value: $0.1) }
    for (url, value) in [
      ("https://other.org/x", "a"), ("https://example.org/", "b"),
      ("https://example.org:443/xy", "b"),
      ("https://example.org/x/y", "c"), ("https://sub.example.org/x", "d"),
      ("https://ann@example.org/x/y", "e"), ("https://example.org:444/x", "a"),
    ] {
      #expect(git.http("proxy", for: try #require(WebAddress(url))) == value, "\(url)")
    }
  }

  @Test("rewrites addresses with insteadOf and pushInsteadOf")
  func rewriting() {
    var git = GitSettings()
    git.entries = [
      ("url.https://h/.insteadof", "gh:"), ("url.https://h/long/.insteadof", "gh:long/"),
      ("url.git@h:.pushinsteadof", "gh:"), ("remote.o.url", "gh:x"), ("remote.p.url", "gh:x"),
      ("remote.p.pushurl", "gh:y"),
    ].map { (key: $0.0, value: $0.1) }
    #expect(git.rewritten("gh:x", for: .fetching) == "https://h/x")
    #expect(git.rewritten("gh:long/x", for: .fetching) == "https://h/long/x")
    #expect(git.address(ofRemote: "o", for: .pushing) == "git@h:x")
    #expect(git.address(ofRemote: "p", for: .pushing) == "https://h/y")
    #expect(git.address(ofRemote: "o", for: .fetching) == "https://h/x")
  }
}
