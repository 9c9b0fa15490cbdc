import ArgumentParser

/// A hosting site whose workflow `cairn init --ci` writes.
enum CIService: String, ExpressibleByArgument, CaseIterable {
  case github, gitlab

  /// The path of the workflow in the dataset.
  var path: String {
    switch self {
    case .github: ".github/workflows/cairn.yml"
    case .gitlab: ".gitlab-ci.yml"
    }
  }

  /// What is left to do on the site, as a sentence.
  var nextStep: String {
    let url = "set the variable CAIRN_PACKAGE to the URL of cairn's tarball for x86-64"
    return switch self {
    case .github: "On the site, \(url) (Settings, Secrets and variables, Actions, Variables)."
    case .gitlab:
      "On the site, \(url) and, for comments, CAIRN_TOKEN to a project access token with the role "
        + "Reporter and the scope api (Settings, CI/CD, Variables)."
    }
  }

  /// The lines of a shell that install cairn.
  private static let install = """
    : "${CAIRN_PACKAGE:?Set the variable CAIRN_PACKAGE to the URL of cairn-VERSION-linux-x86_64.tar.zst.}"
    curl --fail --silent --show-error --location --output /tmp/cairn.tar.zst "$CAIRN_PACKAGE"
    mkdir -p /tmp/cairn
    zstd --decompress --stdout /tmp/cairn.tar.zst | tar -x -C /tmp/cairn --strip-components 1
    """

  /// The lines of a shell that describe what was pushed in changes.md. There is no commit before the
  /// push of a new branch; then its last commit is described.
  private static let describe = """
    git cat-file -e "$BEFORE^{commit}" 2>/dev/null || BEFORE=$(git rev-parse --verify --quiet HEAD~1) || true
    if [ -n "$BEFORE" ]; then
      cairn diff --format markdown --limit 100 "$BEFORE" HEAD > changes.md
    else
      echo "The first commit." > changes.md
    fi
    """

  /// The workflow, in YAML.
  ///
  /// Source: GitHub, “Workflow syntax for GitHub Actions”; GitLab, “CI/CD YAML syntax reference”.
  var workflow: String {
    switch self {
    case .github: githubWorkflow
    case .gitlab: gitlabWorkflow
    }
  }

  private func indented(_ lines: String, by spaces: Int) -> String {
    lines.split(separator: "\n").joined(separator: "\n" + String(repeating: " ", count: spaces))
  }

  private var githubWorkflow: String {
    """
    # Written by `cairn init --ci github`.
    # Checks the dataset on each push, and posts the changes as a comment.
    name: cairn
    on: push
    permissions:
      contents: write  # for the comment on the commit
    jobs:
      verify:
        runs-on: ubuntu-24.04
        steps:
          - uses: actions/checkout@v4
            with:
              fetch-depth: 0  # the history says what changed
          - name: Install cairn
            env:
              CAIRN_PACKAGE: ${{ vars.CAIRN_PACKAGE }}
            run: |
              \(indented(CIService.install, by: 10))
              echo /tmp/cairn/bin >> "$GITHUB_PATH"
          - name: Verify
            run: cairn verify
          - name: Describe the changes
            if: ${{ !cancelled() }}
            env:
              BEFORE: ${{ github.event.before }}
            run: |
              \(indented(CIService.describe, by: 10))
              cat changes.md >> "$GITHUB_STEP_SUMMARY"
          - name: Report
            if: ${{ !cancelled() }}
            run: cairn report report.html
          - name: Keep the report
            if: ${{ !cancelled() }}
            uses: actions/upload-artifact@v4
            with:
              name: report
              path: report.html
          - name: Comment
            if: ${{ !cancelled() }}
            continue-on-error: true
            env:
              GH_TOKEN: ${{ github.token }}
            run: gh api "repos/$GITHUB_REPOSITORY/commits/$GITHUB_SHA/comments" -F body=@changes.md --silent

    """
  }

  private var gitlabWorkflow: String {
    """
    # Written by `cairn init --ci gitlab`.
    # Checks the dataset on each push, and posts the changes as a comment.
    cairn:
      image: debian:12-slim
      rules:
        - if: $CI_PIPELINE_SOURCE == "push"
      variables:
        GIT_DEPTH: 0  # the history says what changed
        GIT_LFS_SKIP_SMUDGE: "1"
      before_script:
        - apt-get update -qq
        - apt-get install -qq --no-install-recommends ca-certificates curl git zstd
        - git config --global --add safe.directory "$CI_PROJECT_DIR"
        - |
          \(indented(CIService.install, by: 6))
        - export PATH=/tmp/cairn/bin:$PATH
      script:
        - BEFORE=$CI_COMMIT_BEFORE_SHA
        - |
          \(indented(CIService.describe, by: 6))
        - cairn report report.html
        - cairn verify
      after_script:
        # The token of a job may not comment.
        - |
          if [ -n "$CAIRN_TOKEN" ] && [ -f changes.md ]; then
            curl --fail --silent --show-error --output /dev/null \\
              --header "PRIVATE-TOKEN: $CAIRN_TOKEN" --data-urlencode note@changes.md \\
              "$CI_API_V4_URL/projects/$CI_PROJECT_ID/repository/commits/$CI_COMMIT_SHA/comments"
          fi
      artifacts:
        when: always
        paths: [report.html, changes.md]

    """
  }
}
