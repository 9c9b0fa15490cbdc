internal import HummingbirdCore
internal import Logging
internal import NIOCore

/// Serves HTTP/1.1, and closes connections that were accepted but not served because the server
/// stopped meanwhile, or because their computer has too many.
///
/// Hummingbird drops them, and `NIOAsyncChannel` ends the program if it is dropped open.
struct ClosingChannel: ServerChildChannel {
  let base: HTTP1Channel
  let limit: AddressLimit

  /// A connection, which is closed at the latest when nothing refers to it.
  final class Connection: ServerChildChannelValue {
    let stream: HTTP1Channel.Value

    var channel: any Channel { stream.channel }

    init(_ stream: HTTP1Channel.Value) {
      self.stream = stream
    }

    deinit {
      let stream = stream
      Task { try? await stream.executeThenClose { _, _ in } }
    }
  }

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Connection> {
    base.setup(channel: channel, logger: logger).map(Connection.init)
  }

  func handle(value: Connection, logger: Logger) async {
    let address = value.channel.remoteAddress?.ipAddress
    guard limit.begin(address) else { return }
    defer { limit.end(address) }
    await base.handle(value: value.stream, logger: logger)
  }
}
