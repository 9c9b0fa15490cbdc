internal import CairnGit
internal import LibC
internal import SystemPackage

func processID() -> Int32 { getpid() }

/// Returns the offset of the local time zone at `seconds` since 1970, in minutes east of UTC.
func localOffset(at seconds: Int64) -> Int {
  var time = time_t(seconds)
  var local = tm()
  localtime_r(&time, &local)
  return local.tm_gmtoff / 60
}

/// Returns the program `name` that a shell would run; nil when `PATH` has none.
func findProgram(_ name: String) -> FilePath? {
  (environment("PATH") ?? "").split(separator: ":")
    .map { FilePath(String($0)).appending(name) }
    .first { access($0.string, X_OK) == 0 }
}
