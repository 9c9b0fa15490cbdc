public import CairnGit

/// Which program carries a conversation to another machine, and how it is called: as git does it.
///
/// Source: git's connect.c, `get_ssh_command`, `push_ssh_options`; Documentation/config/ssh.txt.
public struct SSHCommand: Sendable, Equatable {
  enum Variant: String, Sendable {
    case ssh, simple, plink, putty, tortoiseplink

    var portOption: String? {
      switch self {
      case .ssh: "-p"
      case .simple: nil
      case .plink, .putty, .tortoiseplink: "-P"
      }
    }

    /// What has it take the last word for a subsystem, of ssh and of plink alike.
    var subsystemOption: String? { self == .simple ? nil : "-s" }

    /// What has it fail where it would ask for a password.
    var silentOptions: [String] {
      switch self {
      case .ssh: ["-o", "BatchMode=yes"]
      case .plink, .putty: ["-batch"]
      // That of TortoiseGit never asks on a terminal.
      case .simple, .tortoiseplink: []
      }
    }
  }

  /// A program, or words for a shell.
  private let command: String
  private let isForShell: Bool
  private let variant: Variant

  public init(_ settings: GitSettings) { self.init(settings, variable: environment) }

  /// - Parameter variable: Returns a variable of the environment; nil when it is not set or empty.
  init(_ settings: GitSettings, variable: (String) -> String?) {
    let words = variable("GIT_SSH_COMMAND") ?? settings["core.sshCommand"]
    command = words ?? variable("GIT_SSH") ?? "ssh"
    isForShell = words.map(SSHCommand.needsShell) ?? false
    let named = variable("GIT_SSH_VARIANT") ?? settings["ssh.variant"]
    variant = named.flatMap { Variant(rawValue: $0) } ?? SSHCommand.variant(of: command, isForShell)
  }

  /// Source: git's run-command.c, `prepare_shell_cmd`.
  private static func needsShell(_ words: String) -> Bool {
    words.contains { "|&;<>()$`\\\"' \t\n*?[#~=%".contains($0) }
  }

  private static func variant(of command: String, _ isForShell: Bool) -> Variant {
    let program = isForShell ? command.prefix { $0 != " " } : command[...]
    let name = program.split(separator: "/").last?.lowercased() ?? ""
    return switch name {
    case "plink", "plink.exe": .plink
    case "tortoiseplink", "tortoiseplink.exe": .tortoiseplink
    default: .ssh
    }
  }

  /// Returns the program and its arguments that run `words` at an address.
  ///
  /// The shell is given the address and the words as arguments of its own: nothing of them can be
  /// taken for a command.
  public func call(
    _ address: SSHAddress, running words: String
  ) throws(TransportError) -> (program: String, arguments: [String]) {
    try call(address, options: [], words)
  }

  /// Returns the program and its arguments that talk to a subsystem of sshd at an address: `sftp`.
  ///
  /// Source: ssh(1), `-s`; PuTTY's manual, “Using Plink”.
  /// - Parameter asks: Whether it may ask for a password.
  public func call(
    _ address: SSHAddress, subsystem: String, asks: Bool = true
  ) throws(TransportError) -> (program: String, arguments: [String]) {
    guard let option = variant.subsystemOption else {
      throw TransportError(
        .unsupportedAddress, address.text,
        "this ssh program (ssh.variant) does not carry \(subsystem)")
    }
    return try call(address, options: (asks ? [] : variant.silentOptions) + [option], subsystem)
  }

  private func call(
    _ address: SSHAddress, options: [String], _ words: String
  ) throws(TransportError) -> (program: String, arguments: [String]) {
    var arguments: [String] = []
    if variant == .tortoiseplink { arguments.append("-batch") }
    if let port = address.port {
      guard let option = variant.portOption else {
        throw TransportError(
          .unsupportedAddress, address.text, "this ssh program (ssh.variant) takes no port")
      }
      arguments += [option, String(port)]
    }
    arguments += options + [address.destination, words]
    return isForShell
      ? ("sh", ["-c", command + " \"$@\"", command] + arguments) : (command, arguments)
  }

  /// Returns a text as one word of a shell at the other end.
  public static func quoted(_ text: String) -> String {
    // By scalars, as the shell reads it: to Swift a quote with an accent is another character.
    let scalars = text.unicodeScalars.map { $0 == "'" || $0 == "!" ? "'\\\($0)'" : String($0) }
    return "'" + scalars.joined() + "'"
  }
}
