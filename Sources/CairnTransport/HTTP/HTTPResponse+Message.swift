package import CairnHTTP
internal import CairnProcess

extension HTTPResponse {
  /// What the server says to people, if its response is plain text; otherwise empty.
  package var plainMessage: String {
    guard HTTPTransport.isType(headers["Content-Type"], "text/plain") else { return "" }
    return secrets.shown(String(decoding: body, as: UTF8.self))
  }
}

extension HTTPSecrets {
  /// Maximum number of characters to show of what a server says.
  private static let messageLimit = 300

  /// Returns a text of the server as the end of a sentence; empty if it repeats a secret.
  package func shown(_ text: String) -> String {
    if areIn(text) { return "" }
    let message = ServerMessages(text.utf8).sentence
    return message.count > HTTPSecrets.messageLimit
      ? message.prefix(HTTPSecrets.messageLimit) + "…" : message
  }
}
