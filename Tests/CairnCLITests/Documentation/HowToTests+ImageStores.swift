import Foundation
import SystemPackage
import TestSupport
import Testing

// Where images are kept.

extension HowToTests {
  @Test("moves the images to a directory, a bucket and a Git LFS server, and back")
  func imageStores() throws {
    let page = try Page("ImageStores")
    // From now on, a clone can get its images only from the new store.
    try alice.run("rm -r ~/walk.git/lfs; mkdir '\(box.root)/nas'")
    try alice.follow(page.section("A directory"), replacing: ["/mnt/nas": "\(box.root)/nas"])
    #expect(try alice.run("find '\(box.root)/nas' -type f").split(separator: "\n").count == 4)
    try checkStore(page, cloningTo: "directory-copy")

    let account = [
      "bucket": "walk-images", "region": "eu-west-1", "keyID": "AKIAIOSFODNN7EXAMPLE",
      "secret": "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    ]
    let bucket = try PythonServer(
      "CairnImagesTests/Programs/strict_s3.py",
      [String(decoding: JSONEncoder().encode(account), as: UTF8.self)])
    defer { withExtendedLifetime(bucket) {} }
    let region = "region=eu-west-1"
    try alice.follow(
      page.section("An S3 bucket"),
      replacing: [region: "\(region)&endpoint=http://127.0.0.1:\(bucket.port)"])
    try checkStore(page, cloningTo: "bucket-copy")

    let lfs = try StrictLFSServer(box.root.appending("lfs"))
    try alice.follow(
      page.section("A Git LFS server"), replacing: ["https://lfs.example.org/alice/walk": lfs.url])
    #expect(lfs.log("put").count == 4)
    try checkStore(page, cloningTo: "server-copy")

    try alice.follow(page.section("Store images in the remote again"))
    try checkStore(page, cloningTo: "remote-copy")
    #expect(lfs.log("get").count == 4)
  }

  @Test("moves the images to an ssh server", .enabled(if: SSHServer.isInstalled, SSHServer.missing))
  func imagesOverSSH() throws {
    let page = try Page("ImageStores")
    let ssh = try SSHServer(box, sftp: "internal-sftp")
    defer { withExtendedLifetime(ssh) {} }
    try alice.run(
      """
      rm -r ~/walk.git/lfs
      git config --global core.sshCommand '\(ssh.command())'
      """)
    try alice.follow(
      page.section("An ssh server"),
      replacing: ["photos.example.org/srv": "127.0.0.1:\(ssh.port)\(box.root)"])
    #expect(box.exists("walk-images/objects"))
    try checkStore(page, cloningTo: "copy")
  }

  @Test(
    "moves the images to a WebDAV server and to storage of rclone",
    .enabled(if: Rclone.isInstalled, Rclone.missing))
  func imagesOverWebDAV() throws {
    let page = try Page("ImageStores")
    try alice.run("rm -r ~/walk.git/lfs; mkdir -p '\(box.root)/dav/remote.php/dav/files/alice'")
    let server = try Rclone(box.root.appending("dav"))
    defer { withExtendedLifetime(server) {} }
    try alice.follow(
      page.section("A WebDAV server, such as Nextcloud"),
      replacing: ["davs://cloud.example.org": "dav://127.0.0.1:\(server.port)"])
    #expect(box.exists("dav/remote.php/dav/files/alice/walk-images/objects"))
    try checkStore(page, cloningTo: "webdav-copy")

    try alice.run(
      """
      mkdir -p ~/.config/rclone
      printf '[drive]\\ntype = alias\\nremote = %s/cloud\\n' '\(box.root)' > ~/.config/rclone/rclone.conf
      """)
    try alice.follow(page.section("Any storage that rclone supports"))
    #expect(box.exists("cloud/walk-images/objects"))
    try checkStore(page, cloningTo: "rclone-copy")
  }

  @Test("encrypts the images of a store, and reads them in another copy with the key")
  func encryptedImages() throws {
    let page = try Page("ImageStores")
    let bucket = "\(box.root)/bucket"
    try alice.run("rm -r ~/walk.git/lfs; mkdir '\(bucket)'")
    try alice.follow(
      page.section("Encrypt the images"),
      replacing: ["s3://walk-images/private?region=eu-west-1": bucket])
    let files = try alice.run(
      "grep -l '^age-encryption.org/v1' $(find '\(bucket)' -type f) | wc -l")
    #expect(files.contains("4"))
    let images = try alice.run("cairn images status -C ~/private-copy")
    #expect(images.hasPrefix("4 images on this disk") && !images.contains("elsewhere"))
  }

  @Test("backs up a dataset with a script, and restores it")
  func nightlyBackup() throws {
    let page = try Page("NightlyBackup")
    let disk = ["/mnt/backup": "\(box.root)/backup"]
    try alice.run("mkdir '\(box.root)/backup'")
    try alice.follow(page.section("Create the backup"), replacing: disk)
    try alice.run("cd ~/walk; cairn pin add 1 2")
    try alice.follow(page.section("Write the script"))
    let tree = "rev-parse 'HEAD^{tree}'"
    #expect(
      try alice.run("git -C ~/walk \(tree)")
        == alice.run("git -C '\(box.root)/backup/walk.git' \(tree)"))
    #expect(try alice.run("~/.local/bin/walk-backup") == "")
    try alice.follow(page.section("Restore"), replacing: disk)
    #expect(try alice.run("find ~/walk-restored/images -type f -size +1k | wc -l").contains("4"))

    // A damaged image and a disk that is not there.
    let image = try alice.run("find '\(box.root)/backup' -path '*lfs/objects*' -type f | head -1")
      .trimmingCharacters(in: .whitespacesAndNewlines)
    let code = "~/.local/bin/walk-backup >/dev/null 2>&1 || echo \"exit $?\""
    try alice.run("mv '\(image)' '\(image).away'")
    #expect(try alice.run(code) == "exit 1\n")
    try alice.run("mv '\(image).away' '\(image)'; mv '\(box.root)/backup' '\(box.root)/away'")
    #expect(try alice.run(code) == "exit 68\n")

    try alice.follow(page.section("Run it with systemd"))
    guard Programs.isInstalled("systemd-analyze") else { return }
    let problems = try alice.run(
      """
      cd ~/.config/systemd/user
      sed -i "s|%h|$HOME|" walk-backup.service
      systemd-analyze verify --man=no ./walk-backup.service ./walk-backup.timer 2>&1
      """)
    #expect(problems == "", "\(problems)")
    // cron reads the line as it is.
    let line = try #require(try page.section("Run it with cron").code(in: "bash").first)
    #expect(line.matches(of: /^\d+ \d+ \* \* \* \S/).count == 1)
  }

  /// Follows the section that checks a new store, in which a clone must get all images.
  private func checkStore(
    _ page: Page, cloningTo name: String, location: SourceLocation = #_sourceLocation
  ) throws {
    try alice.follow(
      page.section("Check the new store"), replacing: ["~/copy": "~/\(name)"], location: location)
    let again = try alice.run("cairn images push -C ~/walk", location: location)
    #expect(again == "The remote has all of them.\n", sourceLocation: location)
    let images = try alice.run("cairn images status -C ~/\(name)", location: location)
    #expect(images.hasPrefix("4 images on this disk"), "\(images)", sourceLocation: location)
    #expect(!images.contains("elsewhere"), "\(images)", sourceLocation: location)
  }
}
