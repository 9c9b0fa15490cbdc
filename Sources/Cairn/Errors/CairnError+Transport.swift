internal import CairnTransport

extension CairnError {
  init(transport error: TransportError) {
    let (address, reason) = (error.address, error.reason)
    switch error.kind {
    case .unsupportedAddress:
      self.init(
        .unreachable, "The address “\(address)” cannot be used: \(reason).",
        hint: "Use a path, ssh://you@host/path, you@host:path or https://host/path.")
    case .unreachable:
      self.init(
        .unreachable, "The remote \(address) cannot be reached: \(reason).",
        hint: "Check the network and the address, then run it again.")
    case .lost:
      self.init(
        .unreachable, "The exchange with \(address) was cut short: \(reason).",
        hint: "Nothing is half done; run it again.")
    case .authentication:
      self.init(
        .authentication, "\(address) does not let you in: \(reason).",
        hint: address.hasPrefix("http")
          ? "Check name and password: `git credential reject` forgets a wrong one."
          : "Check your key: `ssh -v` to that host tells which ones it tries.")
    case .untrusted:
      self.init(
        .untrusted, "The identity of \(address) cannot be trusted: \(reason).",
        hint: address.hasPrefix("http")
          ? "If its certificate is signed by your own authority: `git config http.sslCAInfo FILE`."
          : "Ask whoever runs it for its host key, then accept it with `ssh` (`ssh-keygen -R HOST` "
            + "forgets an old one).")
    case .noRepository:
      self.init(
        .notFound, "There is no repository at \(address) that you may see: \(reason).",
        hint: "Check the address, and as whom you log in.")
    case .forbidden:
      self.init(
        .permission, "\(address) does not allow it: \(reason).",
        hint: "Ask whoever runs it for the right to read or write there.")
    case .protocolViolation:
      self.init(
        .unreachable, "The exchange with \(address) failed: \(reason).",
        hint: "Is it a git repository? `git ls-remote '\(address)'` asks the same of it.")
    case .incompatible:
      self.init(
        .unsupported, "The repository at \(address) cannot be used: \(reason).",
        hint:
          "Use one made with `git init --bare --object-format=sha1` that has all of the history.")
    case .full:
      self.init(
        .noSpace, "\(address) has no space left: \(reason).",
        hint: "Make room there, then run it again; what has arrived stays.")
    case .takesNoImages:
      self.init(
        .unreachable, "\(address) takes no images: \(reason).",
        hint: "Say where they go: `cairn remote images NAME URL` (s3://bucket, sftp://host/path, a "
          + "directory, an LFS server, or none).")
    case .damaged:
      self.init(
        .corrupt, "\(address): \(reason).",
        hint: "Nothing of it was kept; a copy that has the image whole can push it again.")
    case .noProgram:
      self.init(
        .unreachable, "A program is missing for \(address): \(reason).",
        hint: address.hasPrefix("http")
          ? "Install libcurl." : "Install OpenSSH here, and git at the other end.")
    case .cancelled: self.init(.unreachable, "The exchange with \(address) was stopped.")
    }
  }
}
