import Foundation
import TestSupport
import Testing

@Suite("cairn config")
struct ConfigCommandTests {
  @Test("sets, shows and removes settings of a copy and of the user, as git reads them")
  func settings() throws {
    let box = try Sandbox()
    try box.cairn("init", "a")
    try box.cairn("config", "set", "user.name", "Eve Lee", in: "a")
    #expect(try box.git("config", "--local", "user.name", in: "a").stdout == "Eve Lee\n")
    #expect(try box.cairn("config", "get", "USER.name", in: "a").stdout == "Eve Lee\n")
    try box.cairn("config", "set", "user.name", "Ann Lee", "--global")
    #expect(try box.git("config", "--global", "user.name").stdout == "Ann Lee\n")
    #expect(try box.cairn("config", "get", "user.name", "--global", in: "a").stdout == "Ann Lee\n")
    let removed = try box.cairn("config", "unset", "user.name", in: "a").stdout
    #expect(removed == "Removed user.name. Now Ann Lee applies.\n")
    // The rest of the user's file is unchanged.
    #expect(try box.git("config", "--global", "user.email").stdout == "ann@example.org\n")
    #expect(try box.git("config", "--global", "protocol.file.allow").stdout == "always\n")
  }

  @Test("creates the user's file where there is none, and keeps a symbolic link to it")
  func userFile() throws {
    let box = try Sandbox(hasIdentity: false)
    try box.remove("home/.gitconfig")
    try box.cairn("config", "set", "user.name", "Eve", "--global")
    #expect(try box.git("config", "--global", "user.name").stdout == "Eve\n")
    try box.sh("mv home/.gitconfig dotfile; ln -s ../dotfile home/.gitconfig")
    try box.cairn("config", "set", "user.email", "eve@example.org", "--global")
    #expect(try box.text("dotfile").contains("eve@example.org"))
    try box.sh("test -L home/.gitconfig")
    let names = try FileManager.default.contentsOfDirectory(atPath: box.url("home").path)
    #expect(names.filter { $0.hasPrefix(".") }.sorted() == [".gitconfig"])
  }

  @Test("lists settings with value, default and meaning, without passwords")
  func list() throws {
    let box = try Sandbox()
    try box.cairn("init", "a")
    let proxy = "http://ann:secret@proxy.example.org:3128"
    try box.cairn("config", "set", "http.proxy", proxy, in: "a")
    try box.cairn("config", "set", "branch.main.remote", "server", in: "a")
    let all = try box.json("config", "list", "--all", in: "a").elements
    func value(_ key: String) -> JSONValue? { all.first { $0["key"].string == key }?["value"] }
    #expect(value("user.email")?.string == "ann@example.org")
    #expect(value("branch.main.remote")?.string == "server")
    #expect(value("http.proxy")?.string.contains("proxy.example.org:3128") == true)
    #expect(value("gc.auto") == .null)
    #expect(all.allSatisfy { !$0["meaning"].string.isEmpty })
    let page = try box.cairn("config", "list", in: "a").stdout
    #expect(page.contains("user.email") && !page.contains("secret") && !page.contains("gc.auto"))
  }

  @Test(
    "shows no passwords, not even that of a proxy without a scheme",
    arguments: ["http://ann:secret@proxy.example.org:3128", "ann:secret@proxy.example.org:3128"])
  func passwords(proxy: String) throws {
    let box = try Sandbox()
    try box.cairn("init", "a")
    let key = "http.proxy"
    for more in [[], ["--json"]] {
      for scope in [["--global"], []] {
        let set = try box.runCairn(["config", "set", key, proxy] + scope + more, in: "a")
        #expect(set.status == 0 && set.all.contains("proxy.example.org:3128"), "\(set.all)")
        #expect(!set.all.contains("secret"), "\(set.all)")
      }
      let list = try box.runCairn(["config", "list"] + more, in: "a")
      #expect(list.all.contains("proxy.example.org:3128") && !list.all.contains("secret"))
      // The user's setting applies again.
      let unset = try box.runCairn(["config", "unset", key] + more, in: "a")
      #expect(unset.status == 0 && unset.all.contains("proxy.example.org:3128"), "\(unset.all)")
      #expect(!unset.all.contains("secret"), "\(unset.all)")
    }
    #expect(try box.cairn("config", "get", key, in: "a").stdout == proxy + "\n")
  }

  @Test("knows the settings of HTTP for some URLs, numbers with a unit, and rates")
  func forms() throws {
    let box = try Sandbox()
    try box.cairn("init", "a")
    for (key, value) in [
      ("http.https://example.org.proxy", "http://p:3128"), ("http.https://h/x.sslVerify", "false"),
      ("http.pinnedPubkey", "sha256//abc"), ("http.userAgent", "git/2"),
      ("http.lowSpeedLimit", "1k"),
      ("lfs.url", "https://lfs.example.org"), ("lfs.storage", "/srv/lfs"), ("gc.auto", "10k"),
      ("cairn.bwlimit", "2M"), ("http.https://h.extraHeader", "Authorization: Basic c2VjcmV0"),
    ] {
      try box.cairn("config", "set", key, value, in: "a")
      #expect(try box.git("config", "--local", key, in: "a").stdout == value + "\n")
    }
    let list = try box.json("config", "list", in: "a").elements
    let keys = list.map { $0["key"].string }
    #expect(keys.contains("http.https://example.org.proxy") && keys.contains("http.pinnedPubkey"))
    let text = try box.cairn("config", "list", in: "a").stdout
    #expect(text.contains("Authorization: …") && !text.contains("c2VjcmV0"))
    try box.cairn("config", "unset", "http.https://example.org.proxy", in: "a")
    for (key, value) in [
      ("cairn.bwlimit", "1"), ("cairn.bwlimit", "fast"), ("gc.auto", "10x"),
      ("http.https://h.sslVerify", "perhaps"),
    ] {
      try box.refuses("config", "set", key, value, in: "a", with: ExitStatus.badData, hint: false)
    }
  }

  @Test("lets nobody else read a copy of the user's file, and leaves none behind")
  func userFilePermissions() throws {
    let box = try Sandbox()
    func mode() throws -> String {
      try box.sh("stat -c %a home/.gitconfig 2>/dev/null || stat -f %Lp home/.gitconfig").word
    }
    try box.sh("chmod 600 home/.gitconfig")
    // What a killed process left.
    try box.write("[http]\n\textraHeader = secret\n", to: "home/.gitconfig.cairn-config")
    try box.write("[http]\n", to: "home/.gitconfig.cairn-draft/config")
    try box.write("[http]\n", to: "home/.gitconfig.cairn-draft/config.lock")
    try box.cairn("config", "set", "user.name", "Eve", "--global")
    #expect(try box.git("config", "--global", "user.name").stdout == "Eve\n")
    #expect(try mode() == "600")
    let names = try FileManager.default.contentsOfDirectory(atPath: box.url("home").path)
    #expect(names.filter { $0.hasPrefix(".gitconfig") } == [".gitconfig"])
    try box.remove("home/.gitconfig")
    try box.cairn("config", "set", "user.name", "Eve", "--global")
    #expect(try mode() == "644")
  }

  @Test("refuses unknown settings, and values that a setting cannot have")
  func refusals() throws {
    let box = try Sandbox()
    try box.cairn("init", "a")
    let unknown = try box.refuses(
      "config", "set", "user.mail", "x", in: "a", with: ExitStatus.notFound)
    #expect(unknown.contains("`user.email`"))
    for (key, value) in [
      ("user.email", "eve"), ("cairn.createClasses", "perhaps"), ("gc.auto", "many"),
      ("user.name", "a\nb"),
    ] {
      try box.refuses("config", "set", key, value, in: "a", with: ExitStatus.badData, hint: false)
    }
    try box.refuses("config", "get", "core.sshCommand", in: "a", with: ExitStatus.notFound)
    try box.refuses("config", "set", "user.name", "Eve", with: ExitStatus.noDatasetOrIdentity)
  }

  @Test("changes what cairn does")
  func effect() throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    try box.cairn("config", "set", "cairn.createClasses", "false", in: "a")
    try box.refuses("label", photo, "oak", in: "a", with: ExitStatus.notFound)
    try box.cairn("config", "set", "cairn.createClasses", "true", in: "a")
    try box.cairn("label", photo, "oak", in: "a")
  }
}
