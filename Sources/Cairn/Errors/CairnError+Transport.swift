internal import CairnTransport

extension CairnError {
  init(transport error: TransportError) {
    let (address, reason) = (error.address, error.reason)
    switch error.kind {
    case .unsupportedAddress:
      self.init(
        .invalidInput, "The address “\(address)” cannot be used: \(reason).",
        hint: "Use a path, ssh://you@host/path, you@host:path or https://host/path.")
    case .unreachable:
      self.init(
        .unreachable, "The remote \(address) cannot be reached: \(reason).",
        hint: "Check the network and the address, then try again.")
    case .connectionLost:
      self.init(
        .unreachable, "The connection to \(address) was lost: \(reason).",
        hint: "Try again; nothing was left half done.")
    case .serverError:
      self.init(
        .unreachable, "The server at \(address) failed: \(reason).",
        hint: "Try again later, or ask its administrator.")
    case .authentication:
      self.init(
        .authentication, "Authentication failed at \(address): \(reason).",
        hint: address.hasPrefix("http")
          ? "Check your user name and password; `git credential reject` erases a stored password."
          : "Check your key; `ssh -v` to that host shows which keys it tries.")
    case .untrusted:
      self.init(
        .untrusted, "The identity of \(address) cannot be trusted: \(reason).",
        hint: address.hasPrefix("http")
          ? "If a private authority signed its certificate, run `git config http.sslCAInfo FILE`."
          : "Ask its administrator for its host key, then accept it with `ssh` "
            + "(`ssh-keygen -R HOST` removes an old key).")
    case .noRepository:
      self.init(
        .notFound, "There is no repository at \(address), or you may not see it: \(reason).",
        hint: "Check the address and your user name.")
    case .forbidden:
      self.init(
        .permission, "Permission denied at \(address): \(reason).",
        hint: "Ask its administrator for permission to read or write there.")
    case .protocolViolation:
      self.init(
        .unreachable, "The exchange with \(address) failed: \(reason).",
        hint: "Check that it is a git repository: `git ls-remote '\(address)'`.")
    case .incompatible:
      self.init(
        .unsupported, "The repository at \(address) cannot be used: \(reason).",
        hint:
          "Use one with complete history, created with `git init --bare --object-format=sha1`.")
    case .noSpace:
      self.init(
        .noSpace, "\(address) has no space left: \(reason).",
        hint: "Free some space there, then try again; what was transferred is kept.")
    case .noImageStore:
      self.init(
        .unreachable, "\(address) does not accept images: \(reason).",
        hint: "Set an image URL: `cairn remote images NAME URL` (s3://bucket, sftp://host/path, a "
          + "directory, an LFS server, or none).")
    case .damaged:
      self.init(
        .corrupt, "\(address): \(reason).",
        hint: "The damaged data was discarded; push the image again from a copy that has it.")
    case .noProgram:
      self.init(
        .unreachable, "A program that \(address) requires is missing: \(reason).",
        hint: address.hasPrefix("http")
          ? "Install libcurl." : "Install OpenSSH on this computer, and git on the server.")
    case .cancelled: self.init(.cancelled, "The exchange with \(address) was stopped.")
    }
  }
}
