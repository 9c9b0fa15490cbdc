internal import CairnBase
package import CairnHTTP
internal import CairnProcess

extension HTTPResponse {
  /// What the server says to people, if its response is plain text; otherwise empty.
  package var plainMessage: String {
    guard HTTPTransport.isType(headers["Content-Type"], "text/plain") else { return "" }
    return ServerMessages(body).sentence
  }
}

extension HTTPCredentials {
  /// Whether a server's text repeats the password, or a user name that may be a token.
  package func appear(in text: String) -> Bool {
    let login = Base64.text(Array("\(user):\(password)".utf8))
    let secrets = [password, login] + (user.utf8.count >= 16 ? [user] : [])
    return secrets.contains { $0.utf8.count >= 4 && text.contains($0) }
  }
}
