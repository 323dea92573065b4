/// The completion script for bash.
package struct BashCompletion {
    private let verbs: [CommandSyntax]
    private let words: VerbWords

    package init(_ verbs: [CommandSyntax]) {
        self.verbs = verbs
        words = VerbWords(verbs)
    }

    /// The whole script.
    package var script: String {
        """
        # Completes the words of divan in bash. Made by: divan completion bash

        _divan() {
            local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD - 1]}"
            local verb="${COMP_WORDS[1]}" index=2 options="" valued="" repeats="" kind="nothing"
            local word collection="" kinds=() operands=()
            COMPREPLY=()
            if ((COMP_CWORD == 1)); then
                mapfile -t COMPREPLY < <(compgen -W "\(topWords)" -- "$current")
                return
            fi
            case "$verb" in
        \(groupCases)
            esac
            case "$verb" in
        \(verbCases)
            esac
            for ((; index < COMP_CWORD; index++)); do
                word="${COMP_WORDS[index]}"
                if [[ $word != -* ]]; then
                    operands+=("$word")
                elif [[ " $valued " == *" $word "* ]]; then
                    ((++index))
                    [[ $word == -c || $word == --collection ]] && collection="${COMP_WORDS[index]}"
                fi
            done
            if [[ " $valued " == *" $previous "* ]]; then
                _divan_value
            elif [[ $current == -* ]]; then
                mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
            elif ((${#operands[@]} < ${#kinds[@]})); then
                kind="${kinds[${#operands[@]}]}"
            elif [[ -n $repeats ]]; then
                kind="${kinds[-1]}"
            fi
            _divan_offer
        }

        \(valueFunction)

        # Offers what fits $kind; the database is the first operand.
        _divan_offer() {
            local database="${operands[0]:-}"
            case "$kind" in
            database)
                mapfile -t COMPREPLY < <(compgen -d -- "$current" | sed 's/\\.cblite2$//')
                compopt -o filenames 2>/dev/null || true ;;
            file)
                mapfile -t COMPREPLY < <(compgen -f -- "$current")
                compopt -o filenames 2>/dev/null || true ;;
            collection)
                mapfile -t COMPREPLY < <(compgen -W "$(
                    "${COMP_WORDS[0]}" collections "$database" 2>/dev/null | cut -d' ' -f1
                )" -- "$current") ;;
            document)
                # Without what the shell quotes by: the rest of an ID with a blank is completed, too.
                case "$current" in
                [\\"\\']*) current="${current:1}" ;;
                *) current="${current//\\\\/}" ;;
                esac
                mapfile -t COMPREPLY < <("${COMP_WORDS[0]}" ls "$database" "$current" \\
                    --limit 100 ${collection:+-c "$collection"} 2>/dev/null)
                compopt -o filenames 2>/dev/null || true ;;
            word:*)
                mapfile -t COMPREPLY < <(compgen -W "${kind#word:}" -- "$current") ;;
            esac
        }

        complete -F _divan divan
        """
    }

    private var topWords: String {
        (words.first + ["--help", "--version"]).joined(separator: " ")
    }

    private var groupCases: String {
        words.groups.map { group in
            """
                \(group.name))
                    if ((COMP_CWORD == 2)); then
                        mapfile -t COMPREPLY < <(
                            compgen -W "\(group.seconds.joined(separator: " "))" -- "$current"
                        )
                        return
                    fi
                    verb="$verb ${COMP_WORDS[2]}" index=3 ;;
            """
        }.joined(separator: "\n")
    }

    /// What each verb accepts: options, those with a value, and the kinds of its operands.
    private var verbCases: String {
        verbs.map { verb in
            let options = verb.options + [CommandSyntax.helpOption]
            let kinds = verb.operands.map { "\"\(kind($0.completion))\"" }
            let repeats = verb.operands.contains { $0.isRepeating } ? " repeats=yes" : ""
            let names = ([verb.name] + verb.aliases).map { "\"\($0)\"" }.joined(separator: " | ")
            return """
                    \(names))
                        options="\(options.flatMap(\.names).joined(separator: " "))"
                        valued="\(options.filter { $0.value != nil }.flatMap(\.names)
                        .joined(separator: " "))"
                        kinds=(\(kinds.joined(separator: " ")))\(repeats) ;;
                """
        }.joined(separator: "\n")
    }

    /// The function that completes the value of an option; options with the same name are alike.
    private var valueFunction: String {
        var lines: [String] = []
        var seen: Set<String> = []
        for verb in verbs {
            for option in verb.options where option.completion != .nothing {
                for name in option.names where seen.insert("\(verb.name) \(name)").inserted {
                    lines.append(
                        "    \"\(verb.name) \(name)\") kind=\"\(kind(option.completion))\" ;;"
                    )
                }
            }
        }
        return """
            # Says what the value of the option $previous is.
            _divan_value() {
                case "$verb $previous" in
            \(lines.joined(separator: "\n"))
                esac
            }
            """
    }

    private func kind(_ completion: CommandSyntax.Completion) -> String {
        guard case .word(let words) = completion else { return completion.kind }
        return "word:" + words.joined(separator: " ")
    }
}

extension CommandSyntax.Option {
    /// Both names of the option.
    package var names: [String] { [name] + (short.map { [$0] } ?? []) }
}
