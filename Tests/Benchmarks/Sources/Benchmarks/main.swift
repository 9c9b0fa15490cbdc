// Measures the release build of `cairn` against git and git-lfs on the same work in the same run,
// as whole processes, and prints medians with both sides' figures.

import Foundation

let photos = Int(CommandLine.arguments.dropFirst().first ?? "") ?? 1000
let bench = try Bench(photos: photos)
defer { bench.remove() }

var table = Table()
table.add(
  "add \(photos) photos",
  cairn: try bench.time(runs: 1) { try bench.cairn("photo", "add", "../images", at: "cairn") },
  peer: try bench.time(runs: 1) {
    try bench.shell("cp -r ../images . && git add images && git commit -qm images", at: "git")
  }, "git-lfs: cp + git add + git commit")
try bench.cairn("commit", at: "cairn")

let photo = try bench.firstPhoto()
table.add(
  "one label",
  cairn: try bench.time { try bench.cairn("label", photo, "class \($0)", at: "cairn") },
  peer: try bench.time { try bench.shell("echo label > label-\($0).json && git add .", at: "git") },
  "write a file + git add")
table.add(
  "one label, committed",
  cairn: try bench.time {
    try bench.cairn("label", photo, "more \($0)", at: "cairn")
    try bench.cairn("commit", at: "cairn")
  },
  peer: try bench.time {
    try bench.shell("echo x > more-\($0).json && git add . && git commit -qm x", at: "git")
  }, "write a file + git add + git commit")
table.add(
  "status",
  cairn: try bench.time { _ in try bench.cairn("status", at: "cairn") },
  peer: try bench.time { _ in try bench.shell("git status", at: "git") }, "git status")
table.add(
  "list the photos",
  cairn: try bench.time { _ in try bench.cairn("photo", "list", at: "cairn") },
  peer: try bench.time { _ in try bench.shell("git ls-files", at: "git") }, "git ls-files")
table.add(
  "clone with images",
  cairn: try bench.time(runs: 3) {
    try bench.cairn("clone", "cairn", "clone-cairn-\($0)", at: ".")
  },
  peer: try bench.time(runs: 3) { try bench.shell("git clone -q git clone-git-\($0)", at: ".") },
  "git clone, with git-lfs")
print(table.text)
try bench.save(table.text)
