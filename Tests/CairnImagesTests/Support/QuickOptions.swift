import CairnHTTP
import CairnImages

extension ImageTransfer.Options {
  /// Returns options for a test, with hardly any wait between attempts.
  static func quick(
    attempts: Int = 8, _ change: (inout ImageTransfer.Options) -> Void = { _ in }
  ) -> ImageTransfer.Options {
    var options = ImageTransfer.Options()
    options.retries.firstDelayMilliseconds = 1
    options.retries.longestDelayMilliseconds = 20
    options.retries.attempts = attempts
    options.retries.attemptsToConnect = attempts
    change(&options)
    return options
  }
}
