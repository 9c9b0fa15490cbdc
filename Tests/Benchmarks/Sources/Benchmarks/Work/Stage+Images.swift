import Foundation

extension Stage {
  private static let images = 200
  private static let imageBytes = 100_000

  /// Adds and commits images, and pushes them to a directory.
  func measureImages() throws {
    let images = place.appending(path: "images")
    try FileManager.default.createDirectory(at: images, withIntermediateDirectories: true)
    for seed in 0..<Stage.images {
      try png(seed: seed, bytes: Stage.imageBytes)
        .write(to: images.appending(path: "\(10_000 + seed).png"))
    }
    let contenders: [any ImageContender] = [
      CairnImages(cairn: cairn), GitLFS(), DVC(), GitAnnex(), Oxen(),
    ].filter { isInstalled($0) }
    let sites = contenders.map { contender in
      let directory = place.appending(path: contender.name)
      return ImageSite(
        repository: directory.appending(path: "repository"),
        remote: directory.appending(path: "remote.git"), images: images)
    }
    compare(
      "add and commit 200 images", pace: .few,
      zip(contenders, sites).map { contender, site in
        Entry(
          contender: contender.name, way: contender.way(contender.record(site)),
          prepare: { _ in try self.start(contender, at: site) },
          commands: { _ in contender.record(site) })
      })
    compare(
      "push 200 images", pace: .few,
      zip(contenders, sites).compactMap { contender, site in
        guard let push = contender.push(site) else {
          report.note("\(contender.name) pushes to a server only; its push is left out.", documents)
          return nil
        }
        return Entry(
          contender: contender.name, way: contender.way(push),
          prepare: { _ in
            try self.start(contender, at: site)
            for command in contender.record(site) { try self.output(command) }
          }, commands: { _ in push })
      })
    for (contender, site) in zip(contenders, sites) {
      addDisk(
        "200 images of 100 kB, with work tree", contender.name, try bytes(of: site.repository))
      if contender.push(site) != nil {
        let remotes = try [site.remote, site.store]
          .filter { FileManager.default.fileExists(atPath: $0.path) }.map(bytes(of:))
        addDisk("200 images of 100 kB, remote", contender.name, remotes.reduce(0, +))
      }
    }
    report.note("git-lfs links images into a remote on the same disk; others copy them.", documents)
  }

  /// Records the versions of a contender's programs; returns false if one is missing.
  private func isInstalled(_ contender: any ImageContender) -> Bool {
    do {
      for words in contender.versions {
        var command = Command(at: place)
        command.words = words
        report.versions[contender.name] = try output(command)
      }
      return true
    } catch {
      report.note("\(contender.name) is not installed here and was left out.", documents)
      return false
    }
  }

  /// Makes an empty repository and its remote, and copies the images into it if the contender needs
  /// them there.
  private func start(_ contender: any ImageContender, at site: ImageSite) throws {
    try remove(site.repository.deletingLastPathComponent())
    try FileManager.default.createDirectory(at: site.repository, withIntermediateDirectories: true)
    for command in contender.start(site) { try output(command) }
    if contender.takesFromWorkTree {
      try FileManager.default.copyItem(
        at: site.images, to: site.repository.appending(path: "images"))
    }
  }
}
