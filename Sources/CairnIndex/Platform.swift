internal import LibC

func fileExists(_ path: String) -> Bool { access(path, F_OK) == 0 }

func removeFile(_ path: String) { unlink(path) }
