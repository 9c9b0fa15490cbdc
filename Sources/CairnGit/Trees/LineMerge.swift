internal import CLibgit2

extension Repository {
  /// Merges two versions of a text line by line from their common base; where both sides changed
  /// the same lines, keeps both versions, those of `first` first.
  ///
  /// - Parameter base: The common base; empty when there is none.
  package static func mergeLines(
    base: [UInt8], _ first: [UInt8], _ second: [UInt8]
  ) throws(GitError) -> [UInt8] {
    var options = git_merge_file_options()
    git_merge_file_options_init(&options, UInt32(GIT_MERGE_FILE_OPTIONS_VERSION))
    options.favor = GIT_MERGE_FILE_FAVOR_UNION
    var result = git_merge_file_result()
    let status = withInput(base) { base in
      withInput(first) { first in
        withInput(second) { second in git_merge_file(&result, &base, &first, &second, &options) }
      }
    }
    try check(status, "merge the lines of a file")
    defer { git_merge_file_result_free(&result) }
    return Array(UnsafeRawBufferPointer(start: result.ptr, count: result.len))
  }

  private static func withInput(
    _ bytes: [UInt8], _ body: (inout git_merge_file_input) -> CInt
  ) -> CInt {
    bytes.withUnsafeBytes { bytes in
      bytes.withMemoryRebound(to: CChar.self) { text in
        var input = git_merge_file_input()
        git_merge_file_input_init(&input, UInt32(GIT_MERGE_FILE_INPUT_VERSION))
        input.ptr = text.baseAddress
        input.size = text.count
        return body(&input)
      }
    }
  }
}
