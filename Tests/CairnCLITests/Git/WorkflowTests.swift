import CairnDocument
import Foundation
import TestSupport
import Testing

@Suite("cairn init --ci", .enabled(if: Programs.clients != nil, Programs.missingClients))
struct WorkflowTests {
  static let sites = ["github": ".github/workflows/cairn.yml", "gitlab": ".gitlab-ci.yml"]

  /// Checks a workflow against the JSON schema of its site.
  private func validate(_ site: String, _ path: String, _ box: Sandbox) throws {
    let python = try #require(Programs.clients)
    let schema = site == "github" ? "vendor.github-workflows" : "vendor.gitlab-ci"
    let output = try box.run(
      python, ["-m", "check_jsonschema", "--builtin-schema", schema, path], in: "a")
    #expect(output.status == 0, "\(output.all)")
  }

  /// Returns the lines of a shell in a workflow, in order.
  private func scripts(_ path: String, _ box: Sandbox) throws -> [String] {
    let code = """
      import json, sys, yaml
      workflow = yaml.safe_load(open(sys.argv[1]))
      if "jobs" in workflow:
          steps = [step["run"] for step in workflow["jobs"]["verify"]["steps"] if "run" in step]
      else:
          job = workflow["cairn"]
          steps = job["before_script"] + job["script"] + job["after_script"]
      print(json.dumps(steps))
      """
    let python = try #require(Programs.clients)
    return try box.succeed(python, ["-c", code, path], in: "a").json().elements.map(\.string)
  }

  @Test("commits a valid workflow in a new and in an existing dataset", arguments: sites)
  func writes(site: String, path: String) throws {
    let box = try Sandbox()
    let new = try box.cairn("init", "new", "--ci", site).stdout
    #expect(new.contains("Created the dataset") && new.contains("CAIRN_PACKAGE"))
    #expect(box.exists("new/\(path)"))
    try box.expectClean("new")

    _ = try box.startDataset(photos: 1)
    #expect(try box.json("init", "a", "--ci", site)["workflow"].string == path)
    try box.expectClean("a")
    #expect(try box.git("log", "-1", "--format=%s", in: "a").stdout.contains("workflow"))
    try validate(site, path, box)
    // Its name stays.
    try box.refuses(
      "init", "a", "--ci", site, "--name", "Walk", with: ExitStatus.existsOrFull)
    // The same command again changes nothing, and another workflow is kept.
    let head = try box.git("rev-parse", "HEAD", in: "a").word
    try box.cairn("init", "a", "--ci", site)
    #expect(try box.git("rev-parse", "HEAD", in: "a").word == head)
    try box.write("mine: {}\n", to: "a/\(path)")
    try box.refuses("init", "a", "--ci", site, with: ExitStatus.existsOrFull)
  }

  @Test("verifies, reports and comments as the site runs it", arguments: sites)
  func runs(site: String, path: String) throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 2)[0]
    try box.cairn("init", "a", "--ci", site)
    let before = try box.git("rev-parse", "HEAD", in: "a").word
    try box.cairn("label", photo, "oak", in: "a")
    try box.cairn("commit", in: "a")
    // A checkout by the site: without images and without cairn's configuration.
    try box.sh("GIT_LFS_SKIP_SMUDGE=1 git clone -q file://$PWD/a site")
    let head = try box.git("rev-parse", "HEAD", in: "site").word
    // The site's own programs, and the package of cairn.
    let cairn = try #require(Programs.cairn).path
    try box.sh(
      """
      mkdir -p package/cairn-1/bin sites
      ln -s '\(cairn)' package/cairn-1/bin/cairn
      tar -C package -cf - cairn-1 | zstd -q -o cairn.tar.zst
      rm home/bin/cairn
      """)
    for program in ["gh", "apt-get"] {
      let script = "#!/bin/sh\necho \"$0 $*\" >> \"$LOG\"\n"
      try box.write(script, to: "sites/\(program)", isProgram: true)
    }
    try box.write(
      """
      #!/bin/sh
      echo "curl $*" >> "$LOG"
      while [ $# -gt 0 ]; do
        case $1 in --output) [ "$2" = /dev/null ] || cp "$PACKAGE" "$2";; esac
        shift
      done
      """, to: "sites/curl", isProgram: true)
    let install = box.url("install").path
    let environment = [
      "BEFORE": before, "CI_COMMIT_BEFORE_SHA": before, "CI_COMMIT_SHA": head,
      "CI_PROJECT_DIR": box.url("site").path, "CI_API_V4_URL": "https://gitlab.example.org/api/v4",
      "CI_PROJECT_ID": "7", "CAIRN_TOKEN": "token",
      "CAIRN_PACKAGE": "https://example.org/cairn.tar.zst",
      "GITHUB_SHA": head, "GITHUB_REPOSITORY": "ann/walk", "GITHUB_PATH": box.url("path").path,
      "GITHUB_STEP_SUMMARY": box.url("summary.md").path, "LOG": box.url("log").path,
      "PACKAGE": box.url("cairn.tar.zst").path,
      "PATH": "\(box.url("sites").path):\(install)/bin:\(box.environment["PATH"] ?? "")",
    ]
    let script = try scripts("../a/\(path)", box).joined(separator: "\n")
      .replacing("/tmp/cairn", with: install)
    let output = try box.run("bash", ["-ec", script], in: "site", environment: environment)
    #expect(output.status == 0, "\(output.all)")
    let changes = try box.text("site/changes.md")
    #expect(changes.contains("ann@example.org labeled oak present"), "\(changes)")
    #expect(try box.text("site/report.html").contains("<html"))
    let log = try box.text("log")
    #expect(log.contains("commits/\(head)/comments"), "\(log)")

    // A damaged document fails the job, and the changes of a new branch are those of its last commit.
    try box.write("{}\n", to: "site/" + Sandbox.photoPath(photo))
    var other = environment
    other["BEFORE"] = String(repeating: "0", count: 40)
    other["CI_COMMIT_BEFORE_SHA"] = other["BEFORE"]
    let failed = try box.run("bash", ["-ec", script], in: "site", environment: other)
    #expect(failed.status != 0 && failed.all.contains("problem"), "\(failed.all)")
  }

  @Test("defines a hook for pre-commit that finds damage before a commit")
  func preCommit() throws {
    let box = try Sandbox()
    let page = try Page("GitHub").section("Check each commit")
    let hook = try #require(page.code(in: "yaml").first)
    let photo = try box.startDataset(photos: 1)[0]
    try box.cairn("commit", in: "a")
    try box.write(hook, to: "a/hooks.yaml")
    let code = """
      import json, yaml
      hooks = yaml.safe_load(open("hooks.yaml"))["repos"][0]
      print(json.dumps({"repo": hooks["repo"], "hook": hooks["hooks"][0]}))
      """
    let parsed = try box.succeed(try #require(Programs.clients), ["-c", code], in: "a").json()
    #expect(parsed["repo"].string == "local")
    let entry = parsed["hook"]["entry"].string
    #expect(parsed["hook"]["language"].string == "system")
    let files = try Regex(parsed["hook"]["files"].string)
    for name in DocumentPath.topLevel {
      let path = name.hasSuffix(".json") ? name : name + "/1a2b.json"
      #expect(path.contains(files), "the hook does not run for a change of \(path)")
    }
    #expect(try box.run("sh", ["-c", entry], in: "a").status == 0)
    try box.write("{}\n", to: "a/" + Sandbox.photoPath(photo))
    #expect(try box.run("sh", ["-c", entry], in: "a").status == 1)
  }
}
