import Testing

extension Sandbox {
  /// Two people who disagree on every photo, with a remote that both know; returns the photos.
  func dispute(photos count: Int) throws -> [String] {
    let photos = try startDataset(photos: count)
    try cairn("commit", in: "a")
    try cairn("remote", "add", "origin", "../x.git", "--create", in: "a")
    for name in ["Bob", "Cy"] {
      try setIdentity(name, in: "a")
      let verdict = name == "Bob" ? [] : ["--absent"]
      _ = try run("cairn", ["label"] + photos + ["--class", "dog"] + verdict, in: "a")
    }
    try cairn("sync", in: "a")
    try setIdentity("Ann", in: "a")
    return photos
  }

  /// What somebody says of a photo: `ann: dog present`.
  func own(_ name: String, on photo: String, in dataset: String) throws -> [String] {
    try said(of: photo, in: dataset).filter { $0.hasPrefix(name) }
  }
}
