import ArgumentParser

/// The ways in which terminals show pictures.
enum TerminalImageProtocol: String, CaseIterable, ExpressibleByArgument {
  /// Source: sw.kovidgoyal.net/kitty/graphics-protocol.
  case kitty
  /// Source: iterm2.com/documentation-images.html.
  case iterm
  /// Source: DEC VT330/VT340 Graphics Programming, chapter 14.
  case sixel
  /// Two pixels in a cell, as a half block.
  case blocks

  /// Returns what the terminal on stdout can show; nil when it is none, or shows no colors.
  ///
  /// What its variables say is believed where no other program stands between; else it is asked.
  /// - Parameter wish: What a person knows that it can.
  static func ofTerminal(asked wish: TerminalImageProtocol?) -> TerminalImageProtocol? {
    guard isTerminal(1), let term = variable("TERM"), term != "dumb" else { return nil }
    if let wish { return wish }
    if variable("NO_COLOR") != nil { return nil }
    let isWithin = variable("TMUX") != nil || term.hasPrefix("screen") || term.hasPrefix("tmux")
    if !isWithin {
      let program = variable("TERM_PROGRAM") ?? variable("LC_TERMINAL") ?? ""
      if term == "xterm-kitty" || term == "xterm-ghostty" || program == "ghostty" { return .kitty }
      if ["iTerm.app", "iTerm2", "WezTerm"].contains(program) { return .iterm }
    }
    return asked()
  }

  /// Asks for kitty's graphics with a picture of one pixel, which is not shown, and then what every
  /// terminal answers: its primary device attributes, among which 4 stands for sixel.
  private static func asked() -> TerminalImageProtocol {
    let question = "\u{1B}_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\\\u{1B}[c"
    let answer = TerminalQuestion.ask(question) { attributes(in: $0) != nil }
    if answer.contains("_Gi=31;OK") { return .kitty }
    if attributes(in: answer)?.contains("4") ?? false, Sixel.isHere { return .sixel }
    return .blocks
  }

  /// Source: xterm's ctlseqs, “Send Device Attributes (Primary DA)”: `CSI ? 6 2 ; 4 c`.
  private static func attributes(in answer: String) -> [Substring]? {
    guard let start = answer.firstRange(of: "\u{1B}[?")?.upperBound,
      let end = answer[start...].firstIndex(of: "c")
    else { return nil }
    return answer[start..<end].split(separator: ";")
  }
}
