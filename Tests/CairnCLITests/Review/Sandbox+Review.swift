import TestSupport
import Testing

extension Sandbox {
  /// Makes a dataset in which two people disagree on every photo, and a remote; returns the photos.
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

  /// Returns one person's labels of a photo, such as `ann: dog present`.
  func own(_ name: String, on photo: String, in dataset: String) throws -> [String] {
    try labels(of: photo, in: dataset).filter { $0.hasPrefix(name) }
  }
}
