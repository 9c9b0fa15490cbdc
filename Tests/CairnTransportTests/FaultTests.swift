import CairnFiles
import CairnGit
import CairnTransport
import Foundation
import SystemPackage
import TestSupport
import Testing

/// ssh is replaced by a script that runs git locally and breaks the connection.
@Suite("Connection faults")
struct FaultTests {
  /// Returns a remote whose connections run `script`, in which `$1` is the command that ssh would
  /// have run.
  private func remote(
    _ box: Sandbox, _ script: String, _ configure: (inout TransportContext) -> Void = { _ in }
  ) throws -> SmartRemote {
    let name = "ssh-\(UUID().uuidString.prefix(8))"
    // The last argument is the command for the remote.
    try box.write(
      "#!/bin/bash\nfor word; do :; done\nset -- \"$word\"\n" + script + "\n", to: name,
      isProgram: true)
    var settings = try box.settings()
    settings.entries.append(("core.sshcommand", box.root.appending(name).string))
    var context = TransportContext(settings, git: nil)
    configure(&context)
    return try SmartRemote(
      try RemoteAddress("ssh://x\(box.root)/remote.git"), named: nil, context)
  }

  private func served() throws -> (
    box: Sandbox, work: Repository, first: ObjectID, second: ObjectID
  ) {
    let box = try Sandbox(user: "Ann")
    _ = try box.newRepository("remote.git", bare: true)
    let work = try box.newRepository("work")
    let first = try box.commit(["a": "1\n"], in: "work")
    try box.git("push", "-q", "../remote.git", "main", in: "work")
    // Incompressible bytes, so that there are many bytes to cut at.
    var random = SeededGenerator(7)
    let noise = (0..<3000).map { _ in
      String(UInt64.random(in: 0 ... .max, using: &random), radix: 36)
    }
    let second = try box.commit(["b": noise.joined(separator: "\n")], in: "work")
    try work.refreshObjects()
    return (box, work, first, second)
  }

  private func tip(_ box: Sandbox) throws -> String {
    try box.git("rev-parse", "main", in: "remote.git").word
  }

  @Test(
    "pushes all or nothing when the connection is cut at any byte",
    arguments: [0, 3, 60, 200, 240, 260, 300, 500, 2000, 20_000, 43_000, 1_000_000])
  func cutPush(bytes: Int) throws {
    let (box, work, first, second) = try served()
    let update = ReferenceUpdate("refs/heads/main", from: first, to: second)
    let new = try work.newObjects(from: second, excluding: [first])
    for script in ["head -c \(bytes) | eval \"$1\"", "eval \"$1\" | head -c \(bytes)"] {
      try box.git("update-ref", "refs/heads/main", "\(first)", in: "remote.git")
      // Only the first connection breaks; later ones work.
      let broken = box.root.appending("broken").string
      try? FileManager.default.removeItem(atPath: broken)
      let remote = try remote(
        box, "if [ -e \(broken) ]; then eval \"$1\"; else touch \(broken); \(script); fi"
      ) {
        $0.timeout.between = 5
        $0.timeout.first = 5
        $0.timeout.beforeLooks = [0]
      }
      do {
        let outcome = try remote.push(update, with: new, from: work, progress: { _, _, _ in })
        // The server may notice that the objects are truncated, and report it.
        let isWhole = outcome.result == .moved
        #expect(isWhole || outcome.result == .refused("unpack-objects abnormal exit"))
        #expect(try tip(box) == "\(isWhole ? second : first)")
      } catch let error as TransportError {
        #expect(
          [.connectionLost, .unreachable, .protocolViolation].contains(error.kind), "\(error)")
        #expect(try tip(box) == "\(first)")
      }
      try box.git("fsck", "--strict", "--no-dangling", in: "remote.git")
    }
  }

  @Test(
    "leaves nothing of a fetch that was cut at any byte, and completes the next one",
    arguments: [0, 3, 60, 200, 300, 500, 2000, 20_000])
  func cutFetch(bytes: Int) throws {
    let (box, _, _, second) = try served()
    try box.git("push", "-q", "../remote.git", "main", in: "work")
    let here = try box.newRepository("here")
    let broken = try remote(box, "eval \"$1\" | head -c \(bytes)") {
      $0.timeout.between = 5
      $0.timeout.first = 5
    }
    #expect(throws: TransportError.self) {
      _ = try broken.references(for: .fetching)
      try broken.fetch([second], into: here, known: [], progress: { _, _, _ in })
    }
    #expect(!here.contains(second))
    let files = try FileSystem().list(here.commonDirectory) ?? []
    #expect(!files.contains { $0.hasPrefix("cairn-") })
    #expect(try FileSystem().list(here.commonDirectory.appending("objects/pack")) ?? [] == [])
    let whole = try remote(box, "eval \"$1\"")
    try whole.fetch([second], into: here, known: [], progress: { _, _, _ in })
    try box.git("update-ref", "refs/heads/main", "\(second)", in: "here")
    try box.git("fsck", "--strict", in: "here")
  }

  @Test("rejects a pack with a flipped bit", arguments: UInt64(0)..<12)
  func damaged(seed: UInt64) throws {
    let (box, _, _, second) = try served()
    try box.git("push", "-q", "../remote.git", "main", in: "work")
    let here = try box.newRepository("here")
    var random = SeededGenerator(seed)
    let byte = Int.random(in: 400..<20_000, using: &random)
    try box.write(
      """
      import os
      position = 0
      while piece := bytearray(os.read(0, 4096)):
        if 0 <= \(byte) - position < len(piece): piece[\(byte) - position] ^= 16
        position += len(piece)
        os.write(1, piece)
      """, to: "turn.py")
    let remote = try remote(box, "eval \"$1\" | python3 \(box.root)/turn.py") {
      $0.timeout.between = 5
    }
    do {
      try remote.fetch([second], into: here, known: [], progress: { _, _, _ in })
      Issue.record("a damaged pack was accepted")
    } catch {
      #expect(error is TransportError || error is GitError)
    }
    #expect(!here.contains(second))
  }

  @Test("gives up on a silent server")
  func stalls() throws {
    let (box, _, _, _) = try served()
    let quick = { (context: inout TransportContext) in
      context.timeout.first = 1
      context.timeout.between = 1
    }
    for script in ["exec sleep 300", "printf 003f; exec sleep 300"] {
      let error = #expect(throws: TransportError.self) {
        _ = try remote(box, script, quick).references(for: .fetching)
      }
      #expect(
        error?.kind == .connectionLost
          && error?.reason.contains("sent nothing for 1 second") == true)
    }
  }

  @Test(
    "reports a lost connection as that, whatever a banner or a warning before it says",
    arguments: [
      "Unauthorized access is not permitted", "Only git commands are allowed; others not allowed",
      "Warning: Identity file k not accessible: No such file or directory.",
      "profile: line 1: /opt/x: No such file or directory",
    ],
    [
      "Connection reset by 10.0.0.1 port 22", "client_loop: send disconnect: Broken pipe",
      "ssh: connect to host x port 22: Network is unreachable",
    ])
  func banner(text: String, reason: String) throws {
    let box = try Sandbox(user: "Ann")
    let script = "echo '\(text)' >&2; echo '\(reason)' >&2; exit 255"
    let error = #expect(throws: TransportError.self) {
      _ = try remote(box, script).references(for: .fetching)
    }
    #expect(error?.kind == .unreachable, "\(String(describing: error))")
    // The program is not reported as missing, either.
    var settings = try box.settings()
    let ssh = "for _; do :; done; \(script); :"
    settings.entries.append(("core.sshcommand", ssh))
    let context = TransportContext(settings, git: nil)
    let lost = #expect(throws: TransportError.self) {
      try RemoteProgram.run(
        "git-lfs-authenticate x", at: SSHAddress(sftp: "sftp://x/srv/walk"), context)
    }
    #expect(lost?.kind == .unreachable, "\(String(describing: lost))")
  }

  @Test("rejects a server that sends endless text other than git's protocol")
  func endlessMessages() throws {
    let (box, _, _, _) = try served()
    let error = #expect(throws: TransportError.self) {
      _ = try remote(box, "exec 2>/dev/null; yes").references(for: .fetching)
    }
    #expect(error?.kind == .protocolViolation, "\(String(describing: error))")
  }

  @Test("rejects an oversized, endless or invalid pack")
  func oversized() throws {
    let (box, _, _, second) = try served()
    let here = try box.newRepository("here")
    // A pack of four billion objects, one that never ends, and bytes that are no pack.
    for pack in [
      "PACK\\0\\0\\0\\2\\377\\377\\377\\377", "PACK\\0\\0\\0\\2\\0\\0\\0\\1", "GARBAGE GARBAGE",
    ] {
      let size = pack.hasPrefix("G") ? 15 : 12
      let script = """
        printf '%04x%s\\0%s' 74 '\(second) refs/heads/main' side-band-64k; printf 0000
        head -c 80 >/dev/null; printf '0008NAK\\n'
        printf '%04x\\1\(pack)' \(size + 5); printf 0000; cat >/dev/null
        """
      let remote = try remote(box, script) { $0.timeout.between = 5 }
      #expect(throws: (any Error).self) {
        try remote.fetch([second], into: here, known: [], progress: { _, _, _ in })
      }
      #expect(!here.contains(second))
      let files = try FileSystem().list(here.commonDirectory) ?? []
      #expect(!files.contains { $0.hasPrefix("cairn-") })
    }
  }

  @Test("rejects a commit that is too large to be read, and keeps nothing of it")
  func largeCommit() throws {
    let (box, _, _, _) = try served()
    let here = try box.newRepository("here")
    try box.sh("head -c \(PackReceiver.commitLimit) /dev/zero | tr '\\0' x >../message", in: "work")
    let large = try box.git(
      "commit-tree", "HEAD^{tree}", "-p", "HEAD", "-F", "../message", in: "work"
    ).word
    try box.git("push", "-q", "../remote.git", "\(large):refs/heads/main", in: "work")
    let tip = try #require(ObjectID(large))
    let error = #expect(throws: GitError.self) {
      try remote(box, "eval \"$1\"").fetch([tip], into: here, known: [], progress: { _, _, _ in })
    }
    #expect(error?.message.contains("is larger than") == true, "\(String(describing: error))")
    let packs = here.commonDirectory.appending("objects").appending("pack")
    #expect(try FileSystem().list(packs) ?? [] == [])
  }

  @Test("rejects a pack that lacks objects of a commit")
  func missingObjects() throws {
    let (box, work, _, second) = try served()
    let here = try box.newRepository("here")
    // A pack with only the commit.
    let full = box.root.appending("only.pack").string
    _ = work
    let script = """
      printf '%04x%s\\0%s' 74 '\(second) refs/heads/main' side-band-64k; printf 0000
      head -c 80 >/dev/null; printf '0008NAK\\n'
      size=$(stat -c %s \(full)); printf '%04x\\1' $((size + 5)); cat \(full); printf 0000; cat >/dev/null
      """
    try box.git("config", "pack.compression", "0", in: "work")
    let made = try box.run(
      "sh", ["-c", "echo \(second) | git pack-objects --stdout -q > \(full)"], in: "work")
    #expect(made.status == 0, "\(made.all)")
    let error = #expect(throws: TransportError.self) {
      try remote(box, script) { $0.timeout.between = 5 }
        .fetch([second], into: here, known: [], progress: { _, _, _ in })
    }
    #expect(error?.reason.contains("incomplete") == true, "\(String(describing: error))")
  }
}
