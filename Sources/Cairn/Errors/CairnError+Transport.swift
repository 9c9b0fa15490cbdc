internal import CairnBase
internal import CairnTransport

extension CairnError {
  /// The kinds of image URLs.
  static let imageURLHint =
    "Use s3://bucket/prefix, sftp://you@host/path, davs://host/path, rclone:remote:path, a directory, "
    + "the https:// URL of a Git LFS server, or none."

  init(transport error: TransportError) {
    let (address, reason) = (error.address, error.reason)
    let hint = CairnError.hint(error)
    switch error.kind {
    case .unsupportedAddress:
      self.init(.invalidInput, "The address “\(address)” cannot be used: \(reason).", hint: hint)
    case .unreachable:
      self.init(.unreachable, "The remote \(address) cannot be reached: \(reason).", hint: hint)
    case .connectionLost:
      self.init(.unreachable, "The connection to \(address) was lost: \(reason).", hint: hint)
    case .serverError where CairnError.isOfProxy(error):
      self.init(.unreachable, "The remote \(address) cannot be reached: \(reason).", hint: hint)
    case .serverError:
      self.init(.unreachable, "The server at \(address) failed: \(reason).", hint: hint)
    case .authentication:
      self.init(.authentication, "Authentication failed at \(address): \(reason).", hint: hint)
    case .untrusted:
      self.init(
        .untrusted, "The identity of \(address) cannot be trusted: \(reason).", hint: hint)
    case .noRepository where error.subject == .images:
      self.init(.notFound, "Not found at \(address): \(reason).", hint: hint)
    case .noRepository:
      self.init(
        .notFound,
        "There is no repository at \(address), or you are not allowed to see it: \(reason).",
        hint: hint)
    case .forbidden:
      self.init(.permission, "Permission denied at \(address): \(reason).", hint: hint)
    case .protocolViolation:
      self.init(.unreachable, "The exchange with \(address) failed: \(reason).", hint: hint)
    case .incompatible:
      self.init(
        .unsupported, "The repository at \(address) cannot be used: \(reason).", hint: hint)
    case .noSpace:
      self.init(.noSpace, "\(address) has no space left: \(reason).", hint: hint)
    case .noImageStore:
      self.init(.unreachable, "\(address) does not accept images: \(reason).", hint: hint)
    case .damaged: self.init(.corrupt, "\(address): \(reason).", hint: hint)
    case .noProgram:
      self.init(
        .unreachable, "A program that \(address) requires is missing: \(reason).", hint: hint)
    case .cancelled: self.init(.cancelled, "The exchange with \(address) was stopped.")
    }
  }

  private static func isOfProxy(_ error: TransportError) -> Bool {
    error.reason.contains("the proxy")
  }

  /// Returns the next step after an error.
  private static func hint(_ error: TransportError) -> String {
    let isWeb = error.address.hasPrefix("http") || error.address.hasPrefix("dav")
    let isRclone = error.address.hasPrefix("rclone:")
    let isBucket = error.address.hasPrefix("s3:")
    let isOfImages = error.subject == .images
    let isPending = error.subject == .pendingPush
    switch error.kind {
    case .unsupportedAddress where isRclone:
      // The dataset, and so others, may have chosen it.
      let path = shellArgument(String(error.address.dropFirst("rclone:".count)))
      return "Check it with rclone: `rclone lsd \(path)`."
    case .unsupportedAddress:
      return isOfImages || isBucket
        ? imageURLHint : "Use a path, ssh://you@host/path, you@host:path or https://host/path."
    case .unreachable where CairnError.isOfProxy(error),
      .serverError where CairnError.isOfProxy(error):
      return "Check the proxy: `cairn config get http.proxy`, or the variable https_proxy."
    case .unreachable: return "Check the network and the address, then try again."
    case .connectionLost where isPending, .serverError where isPending:
      return
        "Run `cairn sync` later: it shows whether the push was accepted, and pushes again if it "
        + "was not."
    case .connectionLost, .cancelled: return "Try again; nothing was left half done."
    case .serverError: return "Try again later, or ask its administrator."
    case .authentication where isBucket:
      return "Check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or the AWS profile in ~/.aws."
    case .authentication where error.reason.contains("supports only Basic"):
      return "Ask its administrator for a login with Basic over https, such as a token."
    case .authentication:
      return isWeb
        ? "Check your user name and password; `git credential reject` erases a stored password."
        : "Check your key; `ssh -v` to that host shows which keys it tries."
    case .untrusted where error.reason.contains("expired"):
      return
        "Its administrator has to renew the certificate, unless this computer's clock is wrong."
    case .untrusted:
      return isWeb || isBucket
        ? "If a private authority signed its certificate, run "
          + "`cairn config set http.sslCAInfo FILE --global`."
        : "Ask its administrator for its host key, then accept it with `ssh` "
          + "(`ssh-keygen -R HOST` removes an old key)."
    case .noRepository where isOfImages:
      return "Check the image URL (`cairn remote images NAME`); `cairn images push` in a copy that "
        + "has the image sends it."
    case .noRepository: return "Check the address and your user name."
    case .forbidden: return "Ask its administrator for permission to read or write there."
    case .protocolViolation where error.reason.contains("413") && !isOfImages:
      return "The server limits the size of a request, and a push is one: ask its administrator to "
        + "raise the limit (in nginx, client_max_body_size), or push over ssh."
    case .protocolViolation where error.reason.contains("413"):
      return "The server limits the size of a file: ask its administrator, or use another image "
        + "store (`cairn remote images NAME URL`)."
    case .protocolViolation where isOfImages:
      return "Check that it is an image store: `cairn remote images NAME` shows the image URL."
    case .protocolViolation:
      return "Check that it is a git repository: `git ls-remote \(shellArgument(error.address))`."
    case .incompatible:
      return "Use a repository with complete history, created with "
        + "`git init --bare --object-format=sha1`."
    case .noSpace: return "Free some space there, then try again; what was transferred is kept."
    case .noImageStore:
      return "Set an image URL: `cairn remote images NAME URL` (s3://bucket, sftp://host/path, a "
        + "directory, an LFS server, or none)."
    case .damaged:
      return "Run `cairn images push --repair` in a copy that has the image."
    case .noProgram where isRclone: return "Install rclone on this computer, and configure it."
    case .noProgram:
      return isWeb || isBucket
        ? "Install libcurl." : "Install OpenSSH on this computer, and git on the server."
    }
  }
}
