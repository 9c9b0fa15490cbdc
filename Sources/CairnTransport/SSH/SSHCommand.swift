package import CairnGit

/// The ssh program for connections to other machines, and its arguments, chosen as git does.
///
/// Source: git's connect.c, `get_ssh_command`, `push_ssh_options`; Documentation/config/ssh.txt.
package struct SSHCommand: Sendable, Equatable {
  enum Variant: String, Sendable {
    case ssh, simple, plink, putty, tortoiseplink

    var portOption: String? {
      switch self {
      case .ssh: "-p"
      case .simple: nil
      case .plink, .putty, .tortoiseplink: "-P"
      }
    }

    /// The option that makes the last argument a subsystem, for ssh and plink alike.
    var subsystemOption: String? { self == .simple ? nil : "-s" }

    /// The options that make it fail instead of asking for a password.
    var silentOptions: [String] {
      switch self {
      case .ssh: ["-o", "BatchMode=yes"]
      case .plink, .putty: ["-batch"]
      // TortoiseGit's plink never asks on a terminal.
      case .simple, .tortoiseplink: []
      }
    }
  }

  /// A program, or a command line for a shell.
  private let command: String
  private let isForShell: Bool
  private let variant: Variant

  package init(_ settings: GitSettings) { self.init(settings, variable: environmentVariable) }

  /// - Parameter variable: Returns an environment variable; nil when it is unset or empty.
  init(_ settings: GitSettings, variable: (String) -> String?) {
    let commandLine = variable("GIT_SSH_COMMAND") ?? settings["core.sshCommand"]
    command = commandLine ?? variable("GIT_SSH") ?? "ssh"
    isForShell = commandLine.map(SSHCommand.needsShell) ?? false
    let named = variable("GIT_SSH_VARIANT") ?? settings["ssh.variant"]
    variant = named.flatMap { Variant(rawValue: $0) } ?? SSHCommand.variant(of: command, isForShell)
  }

  /// Source: git's run-command.c, `prepare_shell_cmd`.
  private static func needsShell(_ commandLine: String) -> Bool {
    commandLine.contains { "|&;<>()$`\\\"' \t\n*?[#~=%".contains($0) }
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

  /// Returns the program and the arguments that run `remoteCommand` at an address.
  ///
  /// The shell receives the address and the command as separate arguments, so that no part of them
  /// can be taken for a command.
  /// - Parameter mayPrompt: Whether the program may ask for a password.
  package func call(
    _ address: SSHAddress, running remoteCommand: String, mayPrompt: Bool = true
  ) throws(TransportError) -> (program: String, arguments: [String]) {
    try call(address, options: mayPrompt ? [] : variant.silentOptions, remoteCommand)
  }

  /// Returns the program and the arguments that connect to a subsystem of sshd, such as `sftp`, at
  /// an address.
  ///
  /// Source: ssh(1), `-s`; PuTTY's manual, “Using Plink”.
  /// - Parameter mayPrompt: Whether the program may ask for a password.
  package func call(
    _ address: SSHAddress, subsystem: String, mayPrompt: Bool = true
  ) throws(TransportError) -> (program: String, arguments: [String]) {
    guard let option = variant.subsystemOption else {
      throw TransportError(
        .unsupportedAddress, address.text,
        "this ssh program (ssh.variant) does not support the subsystem \(subsystem)")
    }
    let options = (mayPrompt ? [] : variant.silentOptions) + [option]
    return try call(address, options: options, subsystem)
  }

  private func call(
    _ address: SSHAddress, options: [String], _ remoteCommand: String
  ) throws(TransportError) -> (program: String, arguments: [String]) {
    var arguments: [String] = []
    if variant == .tortoiseplink { arguments.append("-batch") }
    if let port = address.port {
      guard let option = variant.portOption else {
        throw TransportError(
          .unsupportedAddress, address.text,
          "this ssh program (ssh.variant) does not support a port")
      }
      arguments += [option, String(port)]
    }
    arguments += options + [address.destination, remoteCommand]
    return isForShell
      ? ("sh", ["-c", command + " \"$@\"", command] + arguments) : (command, arguments)
  }

  /// Returns a text as one word of a command, quoted only if it has to be: programs in the place of a
  /// shell may not understand quotes.
  package static func word(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy {
      switch $0 {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: "/._-+@%:,~".utf8.contains($0)
      }
    }
    return isPlain ? text : quoted(text)
  }

  /// Returns a text quoted as one word for the shell at the other end.
  package static func quoted(_ text: String) -> String {
    // Compare scalars, as the shell does: in Swift, a quote with an accent is another character.
    let scalars = text.unicodeScalars.map { $0 == "'" || $0 == "!" ? "'\\\($0)'" : String($0) }
    return "'" + scalars.joined() + "'"
  }
}
