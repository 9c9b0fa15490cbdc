import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("How-to pages")
struct HowToTests {
  let box: Sandbox
  /// The home directory with the datasets of the quick start.
  let alice: EmptyHome

  init() throws {
    box = try Sandbox(user: "Ann")
    alice = try EmptyHome(box, "alice")
    try alice.follow(Page(path: "README.md").section("Quick start"))
  }

  @Test("shares a dataset by USB stick, there and back")
  func usbStick() throws {
    let page = try Page("ShareByUSBStick")
    let bob = try EmptyHome(box, "bob")
    let stick = ["/media/usb": "\(box.root)/usb"]
    try alice.run("mkdir '\(box.root)/usb'")
    try alice.follow(page.section("Copy the dataset to the stick"), replacing: stick)
    try bob.follow(page.section("Label on the other computer"), replacing: stick)
    try alice.follow(page.section("Merge the labels"), replacing: stick)
    #expect(try alice.count("label:grass by:bob@example.org") == 3)
  }

  @Test(
    "pushes a dataset to a git server with Git LFS, then its images to another URL",
    .enabled(if: SSHServer.isInstalled, SSHServer.missing),
    .enabled(if: Giftless.isInstalled, Giftless.missing))
  func gitHub() throws {
    let ssh = try SSHServer(box)
    let lfs = try Giftless(box.root.appending("objects"))
    defer { withExtendedLifetime((ssh, lfs)) {} }
    try box.write(
      "#!/bin/sh\necho '{\"href\": \"\(lfs.url("alice/walk.git"))\", \"expires_in\": 600}'\n",
      to: "programs/git-lfs-authenticate", isProgram: true)
    _ = try box.newRepository("site/alice/walk.git", bare: true)
    let bucket = "\(box.root)/bucket"
    try alice.run(
      """
      mkdir '\(bucket)'
      git config --global core.sshCommand '\(ssh.command())'
      git config --global 'url.\(ssh.url("site/")).insteadOf' git@github.com:
      """)

    let page = try Page("GitHub")
    try alice.follow(page.section("Push the dataset"))
    try alice.follow(page.section("Clone it"))
    #expect(lfs.count("alice/walk.git") == 4)
    #expect(try alice.run("find ~/laptop/images -type f -size +1k | wc -l").contains("4"))

    try alice.follow(
      page.section("Keep the images elsewhere"),
      replacing: ["s3://walk-images/2026?region=eu-west-1": bucket])
    #expect(try alice.run("find '\(bucket)' -type f | wc -l").contains("4"))
    let url = try alice.run(
      """
      cairn clone git@github.com:alice/walk.git ~/tablet >&2
      cairn remote images origin -C ~/tablet
      """)
    #expect(url.contains(bucket))
  }

  @Test(
    "merges what a teammate commits with git alone",
    .enabled(if: Programs.hasLFS, "git-lfs is not installed"))
  func gitOnlyTeammate() throws {
    let page = try Page("GitOnlyTeammate")
    let bob = try EmptyHome(box, "bob", hasCairn: false)
    for home in [alice, bob] {
      try home.run("git config --global 'url.\(alice.path)/.insteadOf' git@github.com:alice/")
    }
    try alice.run("git -C ~/walk remote set-url origin git@github.com:alice/walk.git")
    try bob.follow(page.section("Clone with git"))
    try bob.follow(page.section("Edit and push"))
    try alice.follow(page.section("Pull with cairn"))
    #expect(try alice.run("cairn class list -C ~/walk").contains("Scots pine (Pinus sylvestris)"))

    // Alice --> origin, and Bob renames the same class.
    try alice.run("cd ~/walk; cairn class rename scots-pine Pine; cairn sync")
    try bob.run(
      """
      cd ~/walk
      sed -i 's/(Pinus sylvestris)/(Pinus)/' classes/scots-pine.json
      git commit --quiet --all --message "Shorten the name"
      if git pull --no-rebase; then exit 1; fi
      """)
    let blocks = try page.section("If git stops with a conflict").code(in: "sh")
    try #require(blocks.count == 2)
    try bob.run(blocks[0])
    try alice.run(blocks[1])
    try bob.run("git -C ~/walk pull --quiet --ff-only")
    let tree = "git -C ~/walk rev-parse 'HEAD^{tree}'"
    #expect(try alice.run(tree) == bob.run(tree))
    #expect(try alice.run("git -C ~/walk status --porcelain").isEmpty)
  }

  @Test("trains a model on an export and records its predictions")
  func trainAndPredict() throws {
    try alice.follow(Page("TrainAndPredict"))
    #expect(try alice.count("model:colors@1") == 1)
    #expect(try alice.count("label:rock model:mobilenet@2026-11") == 1)
  }

  @Test("trains a model on a folder of pictures without a network")
  func trainOffline() throws {
    try Textures.write(0..<14, to: "alice/pictures", in: box)
    try alice.follow(Page("TrainOffline"))
    let predicted = try alice.run("cairn -C ~/textures find state:predicted --count")
    #expect(Int(predicted.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0 >= 8)
    #expect(try alice.run("ls ~").contains("textures.onnx"))
  }

  @Test("labels a dataset in a sparse checkout without images, then makes it a full clone")
  func sparseCheckout() throws {
    let page = try Page("SparseCheckout")
    let files = "find ~/large -name .git -prune -o -type f -print | wc -l"
    try alice.follow(page.section("Clone without files"))
    try alice.follow(page.section("Label and sync"))
    #expect(try alice.run(files).trimmingCharacters(in: .whitespacesAndNewlines) == "2")
    try alice.run("cairn sync -C ~/walk")
    #expect(try alice.count("label:hillside by:alice") == 3)
    try alice.follow(page.section("Fetch the images that you look at"))
    #expect(try alice.run("find ~/large/images -type f -size +1k | wc -l").contains("1"))
    try alice.follow(page.section("Free disk space"))
    #expect(try alice.run(files).trimmingCharacters(in: .whitespacesAndNewlines) == "2")
    try alice.follow(page.section("Turn it into a full clone"))
    #expect(try alice.run("find ~/large/images -type f -size +1k | wc -l").contains("4"))
    #expect(try alice.run("git -C ~/large status --porcelain").isEmpty)
  }

  @Test("imports COCO boxes and an image folder, imports again and undoes an import")
  func importDataset() throws {
    let page = try Page("ImportDataset")
    try alice.follow(page.section("Try the import first"))
    #expect(try alice.count("has:region") == 0)
    let refused = try alice.run(
      """
      cd ~/walk
      cairn import coco ~/coco/boxes.json --image-dir ~/camera --annotator bob@example.org 2>&1 \\
        || echo "exit $?"
      """)
    #expect(refused.contains("an annotation of an unknown category") && refused.contains("exit 65"))
    try alice.follow(page.section("Name the annotator"))
    #expect(try alice.count("label:rock by:bob@example.org has:region") == 1)
    #expect(try alice.count("model:treenet@2") == 2)
    let before = try alice.run("git -C ~/walk rev-parse HEAD")
    try alice.follow(page.section("Import again"))
    #expect(try alice.run("git -C ~/walk rev-parse HEAD") == before)
    try alice.follow(page.section("Undo an import"))
    #expect(try alice.count("label:rock") == 1)
    #expect(try alice.count("by:bob@example.org") == 1)
    try alice.follow(page.section("Keep several annotators apart"))
    #expect(try alice.count("label:grass by:carol@example.org") == 1)
    #expect(try alice.count("label:rock by:dave@example.org") == 1)
    try alice.follow(page.section("Import a table with any columns"))
    #expect(try alice.count("label:grass by:carol@example.org") == 2)
  }

  @Test("divides a review between two people, measures their agreement and settles a dispute")
  func shareReview() throws {
    let page = try Page("ShareReview")
    let bob = try EmptyHome(box, "bob")
    try alice.follow(page.section("Prepare the review"))
    try bob.follow(
      page.section("Review a share"), replacing: ["/srv/walk.git": "\(alice.path)/walk.git"])
    let blocks = try page.section("Measure the agreement").code(in: "sh")
    try #require(blocks.count == 2)
    try bob.run(blocks[0])
    let agreement = try alice.run(blocks[1])
    #expect(agreement.contains("disputed rock on") && agreement.contains("50.0%"))
    #expect(try alice.count("state:disputed") == 1)
    try alice.follow(page.section("Settle disputes"))
    #expect(try alice.count("state:disputed") == 0)
    #expect(try alice.count("label:rock state:rejected") == 1)
    #expect(try alice.count("label:grass state:confirmed by:bob@example.org") == 2)
  }

  @Test("adds photos, predicts and syncs while the page is open, then serves it to others")
  func labelFast() throws {
    let page = try Page("LabelFast")
    try alice.follow(page.section("Prepare the classes"))
    #expect(try alice.run("cairn class list -C ~/walk").contains("water"))
    try serve(page.section("Open the page")) { links in
      try alice.follow(page.section("Add the photos"))
      try alice.follow(page.section("Let a model predict"))
      #expect(try alice.count("model:ground") == 3)
      let session = try get("/api/session", links)
      #expect(session["person"]["email"].string == "alice@example.org")
      #expect(session["dataset"]["name"].string == "walk")
      #expect(session["dataset"]["photos"].number == 4)
      try alice.follow(page.section("Sync"))
    }
    #expect(try alice.run("git -C ~/walk status --porcelain").isEmpty)
    try alice.run("cairn verify --with origin -C ~/walk")
    try serve(page.section("Label with others")) { links in
      #expect(links["invited"].strings("email") == ["bob@example.org", "eve@example.org"])
      #expect(links["invited"].strings("link").allSatisfy { $0.hasPrefix("https://") })
      #expect(!links["fingerprint"].string.isEmpty)
    }
  }

  /// Starts the `cairn serve` of a section, calls `body` with what it prints, and ends it as Ctrl-C
  /// does.
  private func serve(_ section: Page, while body: (_ links: JSONValue) throws -> Void) throws {
    let block = try #require(section.code(in: "sh").first)
    let file = URL(filePath: "\(alice.path)/links.json")
    try? FileManager.default.removeItem(at: file)
    let server = try alice.start(
      block.trimmingCharacters(in: .whitespacesAndNewlines)
        .replacing("cairn serve", with: "exec cairn serve --no-open --json --port 0")
        + " > ~/links.json")
    defer { if server.isRunning { server.kill() } }
    var links: JSONValue?
    wait {
      links = (try? Data(contentsOf: file)).flatMap {
        try? JSONDecoder().decode(JSONValue.self, from: $0)
      }
      return links != nil || !server.isRunning
    }
    if let links { try body(links) } else { Issue.record("the server printed no links") }
    server.interrupt()
    let output = try server.wait()
    #expect(output.status == 0, "\(output.all)")
  }

  /// Requests a route of a server with the key that it printed.
  private func get(_ route: String, _ links: JSONValue) throws -> JSONValue {
    let text = try alice.run(
      """
      python3 - <<'END'
      import urllib.request
      url = "http://127.0.0.1:\(Int(links["port"].number))\(route)"
      headers = {"Authorization": "Bearer \(links["key"].string)"}
      request = urllib.request.Request(url, headers=headers)
      print(urllib.request.urlopen(request, timeout=60).read().decode())
      END
      """)
    return try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
  }

  @Test("undoes commands, labels, removals, runs, uncommitted edits and commits")
  func undo() throws {
    let page = try Page("Undo")
    try alice.follow(page.section("The last command"))
    #expect(try alice.count("is:favorite") == 0)
    try alice.follow(page.section("A label"))
    #expect(try alice.count("label:scots-pine state:predicted") == 1)
    try alice.follow(page.section("A photo"))
    #expect(try alice.count("is:removed") == 0)
    try alice.follow(page.section("A model run"))
    #expect(try alice.count("label:grass state:any") == 0)
    try alice.follow(page.section("Everything since the last commit"))
    #expect(try alice.run("git -C ~/walk status --porcelain").isEmpty)
    #expect(try alice.count("label:scots-pine state:rejected") == 1)
    try alice.follow(page.section("A commit"))
    #expect(try alice.count("is:unlabeled") == 3)
    try alice.run("cairn sync -C ~/second-device; cairn verify --with origin -C ~/walk")
  }
}

extension EmptyHome {
  /// Returns the number of photos in `~/walk` that match a query.
  fileprivate func count(_ query: String) throws -> Int {
    let found = try run("cairn find '\(query)' -C ~/walk --json")
    return try JSONDecoder().decode([JSONValue].self, from: Data(found.utf8)).count
  }
}
