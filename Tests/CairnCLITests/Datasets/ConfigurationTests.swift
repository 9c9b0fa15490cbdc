import Foundation
import TestSupport
import Testing

@Suite("Git configuration and environment")
struct ConfigurationTests {
  @Test("stores images with a git-lfs that is on the path but was never set up")
  func lfsNeverSetUp() throws {
    try #require(Programs.hasLFS)
    let box = try Sandbox()
    try box.write("[user]\n\tname = Ann\n\temail = ann@example.org\n", to: "home/.gitconfig")
    let photos = try box.startDataset(photos: 2)
    try box.cairn("commit", in: "a")
    try box.expectClean("a")
    try box.sh("rm -r images; git checkout -- images", in: "a")
    #expect(try box.read("a/\(Sandbox.imagePath(photos[1]))") == PNG.bytes(seed: 1))
    try box.cairn("clone", "a", "b")
    try box.expectClean("b")
  }

  @Test("reads the identity from the file that GIT_CONFIG_GLOBAL names")
  func globalConfigurationElsewhere() throws {
    let box = try Sandbox(hasIdentity: false)
    try box.write("[user]\n\tname = Eve\n\temail = Eve@Example.org\n", to: "elsewhere")
    let variable = ["GIT_CONFIG_GLOBAL": box.url("elsewhere").path]
    #expect(try box.run("git", ["var", "GIT_AUTHOR_IDENT"], environment: variable).status == 0)
    let start = try box.run("cairn", ["init", "a"], environment: variable)
    #expect(start.status == 0, "\(start.stderr)")
  }

  @Test("takes the author of commits and labels from git's environment variables")
  func variables() throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    let variables = [
      "GIT_AUTHOR_NAME": "Flo", "GIT_AUTHOR_EMAIL": "Flo@Example.org",
      "GIT_COMMITTER_NAME": "Gus", "GIT_COMMITTER_EMAIL": "gus@example.org",
    ]
    #expect(
      try box.run("cairn", ["label", photo, "oak"], in: "a", environment: variables).status == 0)
    #expect(try box.run("cairn", ["commit"], in: "a", environment: variables).status == 0)
    #expect(try box.labels(of: photo, in: "a") == ["flo: oak present"])
    let format = "%an <%ae> %cn <%ce>"
    #expect(
      try box.git("log", "-1", "--format=\(format)", in: "a").stdout
        == "Flo <Flo@Example.org> Gus <gus@example.org>\n")
  }

  @Test("clones and syncs a dataset whose branch is not main")
  func otherBranch() throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    try box.cairn("commit", in: "a")
    try box.git("branch", "-m", "trunk", in: "a")
    try box.cairn("clone", "a", "b")
    #expect(try box.json("status", in: "b")["branch"].string == "trunk")
    try box.cairn("label", photo, "oak", in: "b")
    try box.cairn("sync", in: "b")
    #expect(try box.git("branch", "--list", in: "a").stdout == "* trunk\n")
    #expect(try box.labels(of: photo, in: "a") == ["ann: oak present"])
  }

  @Test("syncs with and clones a repository after git gc")
  func packed() throws {
    let box = try Sandbox()
    let photos = try box.startDataset(photos: 3)
    try box.cairn("label", photos[0], "oak", in: "a")
    try box.cairn("commit", in: "a")
    try box.cairn("clone", "a", "b")
    try box.git("gc", "--quiet", "--aggressive", "--prune=now", in: "a")
    try box.git("pack-refs", "--all", in: "a")
    try box.cairn("label", photos[1], "elm", in: "b")
    try box.cairn("sync", in: "b")
    #expect(try box.labels(of: photos[1], in: "a") == ["ann: elm present"])
    try box.cairn("clone", "a", "c")
    #expect(try box.labels(of: photos[0], in: "c") == ["ann: oak present"])
    try box.expectEqual("a", "b", "c")
    try box.expectSound("a")
    try box.expectSound("c")
  }

  @Test(
    "works in directories with spaces, quotes and other scripts in their names",
    arguments: [
      "with space", "it's \"quoted\"", "日本語", "-dash", "a:b", "percent%20",
    ])
  func directoryNames(name: String) throws {
    let box = try Sandbox(lfs: false)
    let dataset = "in/\(name)"
    try box.write("", to: "in/.keep")
    _ = try box.startDataset(dataset, photos: 1)
    try box.cairn("commit", in: dataset)
    try box.cairn("clone", "./\(dataset)", "\(dataset)-copy")
    try box.cairn("pin", "add", "1", "2", in: "\(dataset)-copy")
    try box.cairn("sync", in: "\(dataset)-copy")
    #expect(try box.json("pin", "list", in: dataset).elements.count == 1)
    try box.sh("rm -r images; git checkout -- images", in: dataset)
    try box.expectClean(dataset)
  }
}
