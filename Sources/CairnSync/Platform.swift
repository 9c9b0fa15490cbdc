internal import LibC

func processID() -> Int32 { getpid() }

/// Returns the offset of the local time zone at `seconds` since 1970, in minutes east of UTC.
func localOffset(at seconds: Int64) -> Int {
  var time = time_t(seconds)
  var local = tm()
  localtime_r(&time, &local)
  return local.tm_gmtoff / 60
}
