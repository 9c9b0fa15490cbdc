internal import Dispatch
internal import Synchronization

/// Calls `body` with consecutive ranges that make up the numbers below `count`, on several threads,
/// and returns the results in the order of the ranges.
///
/// There may be more threads than processors: a file system with a cold cache answers many of them at
/// once. Source: git's preload-index.c, which has up to 20 threads of 500 files or more each.
///
/// - Parameter minimum: The size of a range from which another thread pays off.
func inParallel<Result: Sendable>(
  _ count: Int, minimum: Int = 1000, _ body: @Sendable (Range<Int>) -> Result
) -> [Result] {
  let limit = 16
  let parts = max(1, min(limit, count / minimum))
  if parts == 1 { return [body(0..<count)] }
  return withoutActuallyEscaping(body) { body in
    let results = Mutex([Result?](repeating: nil, count: parts))
    let threads = DispatchGroup()
    for part in 0..<parts {
      DispatchQueue(label: "in parallel").async(group: threads) {
        let result = body(count * part / parts..<count * (part + 1) / parts)
        results.withLock { $0[part] = result }
      }
    }
    threads.wait()
    return results.withLock { $0.map { $0! } }
  }
}
