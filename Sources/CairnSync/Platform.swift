internal import LibC

func processID() -> Int32 { getpid() }

/// Returns the offset of the local time zone at `seconds` since 1970, in minutes east of UTC.
func localOffset(at seconds: Int64) -> Int {
  var time = time_t(seconds)
  var local = tm()
  localtime_r(&time, &local)
  return local.tm_gmtoff / 60
}

extension Slice<UnsafeBufferPointer<UInt8>> {
  /// Returns the index of the first occurrence of a byte; nil if there is none.
  func firstByte(_ byte: UInt8) -> Int? {
    guard let start = base.baseAddress, !isEmpty,
      let found = memchr(start + startIndex, CInt(byte), count)
    else { return nil }
    return UnsafeRawPointer(found) - UnsafeRawPointer(start)
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// Whether these bytes contain an ASCII text; fast when its first letter is rare.
  func containsText(_ text: StaticString) -> Bool {
    var rest = self[...]
    while let offset = rest.firstByte(text.utf8Start[0]), offset + text.utf8CodeUnitCount <= count {
      if memcmp(baseAddress! + offset, text.utf8Start, text.utf8CodeUnitCount) == 0 { return true }
      rest = self[(offset + 1)...]
    }
    return false
  }
}
