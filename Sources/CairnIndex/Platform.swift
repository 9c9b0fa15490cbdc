internal import LibC

func fileExists(_ path: String) -> Bool { access(path, F_OK) == 0 }

/// Returns the inode of the file at a path; nil if there is none.
func inode(_ path: String) -> UInt64? {
  var status = stat()
  return stat(path, &status) == 0 ? UInt64(status.st_ino) : nil
}

func removeFile(_ path: String) { unlink(path) }
