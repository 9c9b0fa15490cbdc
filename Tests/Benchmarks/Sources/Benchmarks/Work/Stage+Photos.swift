import Foundation

extension Stage {
  private static let mostPhotos = 50_000
  private static let photoBytes = 6_550
  /// From this number of photos on, taking them in takes half a minute.
  private static let manyPhotos = 10_000
  private static let labelsPerPhoto = 5

  /// Takes in images and labels, everything checked out, and exchanges them with a directory. git gets
  /// the files that cairn made.
  func measurePhotos() throws {
    let count = generator.photos.count
    guard count <= Stage.mostPhotos else {
      return report.note("Images were left out: there are too many photos.", documents)
    }
    let top = place.appending(path: "photos")
    try discard(top)
    let pace = count >= Stage.manyPhotos ? Pace.long : .few
    let (ours, theirs) = (top.appending(path: "cairn"), top.appending(path: "git"))
    try writePhotos(count, to: top)
    try takeIn(top, ours, theirs, pace)
    addDisk(Stage.photosOnDisk, "cairn", try bytes(of: ours))
    addDisk(Stage.photosOnDisk, "git", try bytes(of: theirs))
    func remote(_ contender: String, _ run: Int) -> URL {
      top.appending(path: "\(contender)-\(run).git")
    }
    func push(_ contender: String, _ dataset: URL, _ command: @escaping (String) -> Command)
      -> Entry
    {
      Entry(
        contender: contender, way: "\(contender) push",
        prepare: { run in
          let remote = remote(contender, run)
          try self.output(self.git("init", "-q", "--bare", remote.path, at: top))
          try self.output(self.git("remote", "add", "r\(run)", remote.path, at: dataset))
        }, commands: { run in [command("r\(run)")] })
    }
    compare(
      "photos: push", pace: pace,
      [
        push("cairn", ours) { self.cairn("push", $0, at: ours) },
        push("git", theirs) { self.git("push", "-q", $0, "main", at: theirs) },
      ])
    for dataset in [ours, theirs] {
      try output(git("remote", "rename", "r1", "origin", at: dataset))
    }
    let next = try labelFiles(in: theirs)
    func label() -> Command { cairn.label(next().photo, at: ours) }
    func edit() throws -> String {
      let path = next().path
      let file = theirs.appending(path: path)
      let text = try String(contentsOf: file, encoding: .utf8)
      try Data(text.replacing("present", with: "absent").utf8).write(to: file)
      return path
    }
    compareLabeling(", with images", ours, theirs, label: label, edit: edit)
    let (clone, gitClone) = (top.appending(path: "clone"), top.appending(path: "clone-git"))
    compare(
      "photos: clone", pace: pace,
      [
        Entry(
          contender: "cairn", way: "cairn clone", prepare: { _ in try self.discard(clone) },
          commands: { _ in [self.cairn("clone", remote("cairn", 1).path, clone.path, at: top)] }),
        Entry(
          contender: "git", way: "git clone", prepare: { _ in try self.discard(gitClone) },
          commands: { _ in
            [self.git("clone", "-q", remote("git", 1).path, gitClone.path, at: top)]
          }),
      ])
    compare(
      "photos: pull of one label",
      [
        Entry(
          contender: "cairn", way: "cairn pull",
          prepare: { _ in
            for command in [label(), self.cairn("sync", at: ours)] { try self.output(command) }
          }, commands: { _ in [self.cairn("pull", at: clone)] }),
        Entry(
          contender: "git", way: "git pull",
          prepare: { _ in
            let path = try edit()
            for command in self.git.commit(path, at: theirs) { try self.output(command) }
            try self.output(self.git("push", "-q", "origin", "main", at: theirs))
          }, commands: { _ in [self.git("pull", "-q", at: gitClone)] }),
      ])
    try discard(top)
  }

  static let photosOnDisk = "photos and labels, with work tree"

  /// Writes the images to the directory `images`, and their labels to `labels.csv`.
  private func writePhotos(_ count: Int, to top: URL) throws {
    report.say("writing \(grouped(count)) images")
    let images = top.appending(path: "images")
    try FileManager.default.createDirectory(at: images, withIntermediateDirectories: true)
    var table = try TextStream(top.appending(path: "labels.csv"))
    try table.write("image,label\n")
    for number in 0..<count {
      let name = "IMG_\(100_000 + number).png"
      try png(seed: number, bytes: Stage.photoBytes).write(to: images.appending(path: name))
      for label in 0..<Stage.labelsPerPhoto {
        let key = Generator.classes[(number + 7 * label) % Generator.classes.count]
        try table.write("\(name),\(key)\n")
      }
    }
    try table.close()
  }

  private func takeIn(_ top: URL, _ ours: URL, _ theirs: URL, _ pace: Pace) throws {
    let files = FileManager.default
    compare(
      "photos: take in and commit", pace: pace,
      [
        Entry(
          contender: "cairn", way: "cairn photo add; cairn import csv; cairn commit",
          prepare: { _ in
            try self.discard(ours)
            try self.output(self.cairn("init", ours.path, "--name", "Bench", at: top))
          },
          commands: { _ in
            [
              self.cairn("photo", "add", "../images", at: ours),
              self.cairn(
                "import", "csv", "../labels.csv", "--match-names", "--annotator",
                "alice@example.org", at: ours),
              self.cairn.commit(at: ours),
            ]
          }),
        Entry(
          contender: "git", way: "git add --all; git commit",
          prepare: { _ in
            if !files.fileExists(atPath: theirs.path) {
              try files.createDirectory(at: theirs, withIntermediateDirectories: true)
              for name in try files.contentsOfDirectory(atPath: ours.path)
              where !name.hasPrefix(".git") {
                try files.copyItem(
                  at: ours.appending(path: name), to: theirs.appending(path: name))
              }
            }
            try self.discard(theirs.appending(path: ".git"))
            try self.output(self.git("init", "-q", at: theirs))
          },
          commands: { _ in
            [
              self.git("add", "--all", at: theirs),
              self.git("commit", "-q", "-m", "photos", at: theirs),
            ]
          }),
      ])
  }

  /// Returns a function that returns another label's file at each call, and its photo.
  private func labelFiles(in dataset: URL) throws -> () -> (photo: String, path: String) {
    let paths = try output(git("ls-files", "labels", at: dataset)).split(separator: "\n")
    var position = 0
    return {
      position += 1
      let path = paths[position * 7919 % paths.count]
      return (String(path.split(separator: "/")[3]), String(path))
    }
  }
}
