internal import LibC

/// Returns the number of processors.
package func processorCount() -> Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }
