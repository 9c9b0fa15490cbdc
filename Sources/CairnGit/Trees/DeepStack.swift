internal import LibC

/// A thread for recursive walks in trees: a thread's own stack holds only the upper directories of a
/// deeply nested one.
enum DeepStack {
  /// The depth of directories at which a walk goes on in another thread. Documents lie four directories
  /// deep, and the smallest stack that systems give to threads has 512 KB.
  static let depth = 16
  /// The sizes to try; the first is more than enough for ``Repository/depthLimit``. Only what is used
  /// takes memory, but a system may limit what is reserved.
  private static let sizes = [64 << 20, 16 << 20, 4 << 20]

  /// Calls `body` in a thread with a large stack, and waits for its end.
  static func run<Value>(_ body: () throws -> Value) throws -> Value {
    try withoutActuallyEscaping(body) { body in
      var result: Result<Value, any Error>?
      let job = Job { result = Result { try body() } }
      let argument = Unmanaged.passUnretained(job).toOpaque()
      guard sizes.contains(where: { run(argument, stack: $0) }) else {
        throw GitError(.other, "no thread for a deeply nested directory")
      }
      return try withExtendedLifetime(job) { try result!.get() }
    }
  }

  /// Runs a job in a thread.
  ///
  /// - Returns: False if there can be no thread with a stack of that size.
  private static func run(_ job: UnsafeMutableRawPointer, stack size: Int) -> Bool {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setstacksize(&attributes, size)
    #if canImport(Darwin)
      var thread: pthread_t?
      if pthread_create(&thread, &attributes, { Job.run($0) }, job) != 0 { return false }
      pthread_join(thread!, nil)
    #else
      var thread = pthread_t()
      if pthread_create(&thread, &attributes, { Job.run($0!) }, job) != 0 { return false }
      pthread_join(thread, nil)
    #endif
    return true
  }

  private final class Job {
    private let body: () -> Void

    init(_ body: @escaping () -> Void) { self.body = body }

    static func run(_ job: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
      Unmanaged<Job>.fromOpaque(job).takeUnretainedValue().body()
      return nil
    }
  }
}

extension Repository {
  /// The maximum depth of a walk in directories, which is git's as well. Source: git-config,
  /// `core.maxTreeDepth`.
  static let depthLimit = 2048

  /// Calls `body`, which walks the directory at `path`, on a walk down from the root; every recursive
  /// walk goes through this.
  ///
  /// - Throws: ``GitError`` with `.tooDeep` when the path exceeds the depth limit.
  package func descend<Value>(into path: String, _ body: () throws -> Value) throws -> Value {
    try descend(into: path, depth: Repository.depth(of: path), body)
  }

  func descend<Value>(
    into path: @autoclosure () -> String, depth: Int, _ body: () throws -> Value
  ) throws -> Value {
    guard depth < Repository.depthLimit else {
      throw GitError(
        .tooDeep, "“\(path().prefix(40))…” is more than \(Repository.depthLimit) directories deep")
    }
    return depth == DeepStack.depth ? try DeepStack.run(body) : try body()
  }

  /// The depth of a directory at `path`; 0 for one at the top.
  static func depth(of path: String) -> Int { path.utf8.count { $0 == UInt8(ascii: "/") } }
}
