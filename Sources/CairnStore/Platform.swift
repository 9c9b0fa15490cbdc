internal import LibC

func sleepMilliseconds(_ milliseconds: Int64) { usleep(UInt32(milliseconds) * 1000) }
