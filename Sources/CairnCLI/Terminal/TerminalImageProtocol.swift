import ArgumentParser

/// The protocols by which terminals show images.
enum TerminalImageProtocol: String, CaseIterable, ExpressibleByArgument {
  /// Source: sw.kovidgoyal.net/kitty/graphics-protocol.
  case kitty
  /// Source: iterm2.com/documentation-images.html.
  case iterm
  /// Source: DEC VT330/VT340 Graphics Programming, chapter 14.
  case sixel
  /// Half block characters, with two pixels in each cell.
  case blocks

  /// Returns the protocol of the terminal on stdout; nil if stdout is not a terminal, or without
  /// colors.
  ///
  /// Environment variables decide, except within tmux and screen; otherwise the terminal is
  /// queried.
  /// - Parameter choice: The protocol that the person chose.
  static func ofTerminal(preferring choice: TerminalImageProtocol?) -> TerminalImageProtocol? {
    guard isTerminal(1), let term = variable("TERM"), term != "dumb" else { return nil }
    if let choice { return choice }
    if variable("NO_COLOR") != nil { return nil }
    let isMultiplexed =
      variable("TMUX") != nil || term.hasPrefix("screen") || term.hasPrefix("tmux")
    if !isMultiplexed {
      let program = variable("TERM_PROGRAM") ?? variable("LC_TERMINAL") ?? ""
      if term == "xterm-kitty" || term == "xterm-ghostty" || program == "ghostty" { return .kitty }
      if ["iTerm.app", "iTerm2", "WezTerm"].contains(program) { return .iterm }
    }
    return detected()
  }

  /// Queries the terminal: first for kitty's protocol, with an image of one pixel that is not
  /// shown, then for its primary device attributes, to which every terminal responds; attribute 4
  /// means sixel.
  private static func detected() -> TerminalImageProtocol {
    let query = "\u{1B}_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\\\u{1B}[c"
    let response = TerminalQuery.send(query) { attributes(in: $0) != nil }
    if response.contains("_Gi=31;OK") { return .kitty }
    if attributes(in: response)?.contains("4") ?? false, Sixel.isAvailable { return .sixel }
    return .blocks
  }

  /// Source: xterm's ctlseqs, “Send Device Attributes (Primary DA)”: `CSI ? 6 2 ; 4 c`.
  private static func attributes(in response: String) -> [Substring]? {
    guard let start = response.firstRange(of: "\u{1B}[?")?.upperBound,
      let end = response[start...].firstIndex(of: "c")
    else { return nil }
    return response[start..<end].split(separator: ";")
  }
}
