import ArgumentParser

/// A shell that cairn has a completion script for.
enum CompletionShell: String, ExpressibleByArgument, CaseIterable {
  case bash, zsh, fish
}

struct CompletionCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "completion", abstract: "Print a shell completion script.",
    discussion: HelpText.paragraphs(
      """
      The script completes commands, options, files, and the names in the dataset: classes, pins,
      remotes, models, people, runs, splits, labelers and the terms of queries. The packages install
      it.

      EXAMPLES
        source <(cairn completion bash)                         in ~/.bashrc
        mkdir -p ~/.zfunc ~/.config/fish/completions
        cairn completion zsh > ~/.zfunc/_cairn                  with ~/.zfunc in fpath
        cairn completion fish > ~/.config/fish/completions/cairn.fish
      """))

  @Argument(help: "The shell.") var shell: CompletionShell

  func run() { Console.write(shell.script) }
}

extension CompletionShell {
  /// The script, which asks `cairn complete`.
  var script: String {
    switch self {
    case .bash:
      #"""
      # bash completion for cairn
      _cairn() {
        local current=${COMP_WORDS[COMP_CWORD]} state
        local lines=()
        mapfile -t lines < <(command "$1" complete bash -- "${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
        [ ${#lines[@]} -gt 0 ] || return 0
        state=${lines[-1]}
        unset 'lines[-1]'
        COMPREPLY=("${lines[@]}")
        case $current in : | =) current= ;; esac
        case $state in
          files*) compopt -o filenames; _cairn_paths -f "$current" ;;
          directories*) compopt -o filenames; _cairn_paths -d "$current" ;;
          *open) compopt -o nospace ;;
        esac
      }
      _cairn_paths() {
        local path word=$2
        # Without the quotation mark and escapes that were typed.
        case $word in \'* | \"*) word=${word:1} ;; *) word=${word//\\/} ;; esac
        case $word in \~ | \~/*) word=$HOME${word:1} ;; esac
        while IFS= read -r path; do COMPREPLY+=("$path"); done < <(compgen "$1" -- "$word")
      }
      complete -F _cairn cairn

      """#
    case .zsh:
      #"""
      #compdef cairn
      # zsh completion for cairn
      _cairn() {
        local -a lines texts shown
        local line state
        lines=("${(@f)$(command ${(Q)words[1]} complete zsh -- "${(@Q)words[1,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
        state=$lines[-1]
        lines=("${(@)lines[1,-2]}")
        for line in $lines; do
          texts+=("${line%%$'\t'*}")
          if [[ -n ${line#*$'\t'} ]]; then
            shown+=("${line%%$'\t'*}  -- ${line#*$'\t'}")
          else
            shown+=("${line%%$'\t'*}")
          fi
        done
        if (( $#texts )); then
          if [[ $state = *open ]]; then compadd -l -S '' -d shown -a texts; else compadd -l -d shown -a texts; fi
        fi
        case $state in
          files*) _files ;;
          directories*) _files -/ ;;
        esac
      }
      if [ "$funcstack[1]" = _cairn ]; then _cairn "$@"; else compdef _cairn cairn; fi

      """#
    case .fish:
      #"""
      # fish completion for cairn
      function __cairn_complete
          set -l words (commandline -opc)
          set -l current (commandline -ct)
          set -l lines (command $words[1] complete fish -- $words (string unescape -- $current; or echo $current) 2>/dev/null)
          set -l state $lines[-1]
          set -e lines[-1]
          printf '%s\n' $lines
          switch "$state"
              case 'files*'
                  __fish_complete_path $current
              case 'directories*'
                  __fish_complete_directories $current
          end
      end
      complete -c cairn -f -a '(__cairn_complete)'

      """#
    }
  }
}
