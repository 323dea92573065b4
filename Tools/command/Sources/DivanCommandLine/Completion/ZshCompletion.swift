/// The completion script for zsh.
package struct ZshCompletion {
    private let verbs: [CommandSyntax]
    private let words: VerbWords

    package init(_ verbs: [CommandSyntax]) {
        self.verbs = verbs
        words = VerbWords(verbs)
    }

    /// The whole script.
    package var script: String {
        """
        #compdef divan
        # Completes the words of divan in zsh. Made by: divan completion zsh

        # The database is the first word behind the verb.
        _divan_collections() {
            local -a names
            names=(${(f)"$(divan collections "$words[2]" 2>/dev/null | cut -d' ' -f1)"})
            compadd -a names
        }

        _divan_documents() {
            local -a names
            names=(${(f)"$(divan ls "$words[2]" "$PREFIX" --limit 100 2>/dev/null)"})
            compadd -a names
        }

        _divan() {
            local verb
            if ((CURRENT == 2)); then
                local -a verbs=(
        \(descriptions)
                )
                _describe verb verbs
                return
            fi
            verb="$words[2]"
            shift words
            ((CURRENT--))
            case "$verb" in
        \(groupCases)
            esac
            case "$verb" in
        \(verbCases)
            esac
        }

        _divan "$@"
        """
    }

    private var descriptions: String {
        let groups = words.groups.map { "'\($0.name):\($0.seconds.joined(separator: ", "))'" }
        let single = verbs.filter { !$0.name.contains(" ") }.flatMap { verb in
            ([verb.name] + verb.aliases).map { "'\($0):\(quoted(verb.summary))'" }
        }
        return (single + groups).map { "            " + $0 }.joined(separator: "\n")
    }

    private var groupCases: String {
        words.groups.map { group in
            """
                \(group.name))
                    if ((CURRENT == 2)); then
                        compadd \(group.seconds.joined(separator: " "))
                        return
                    fi
                    verb="$verb $words[2]"
                    shift words
                    ((CURRENT--)) ;;
            """
        }.joined(separator: "\n")
    }

    private var verbCases: String {
        verbs.map { verb in
            let names = ([verb.name] + verb.aliases).map { "\"\($0)\"" }.joined(separator: " | ")
            let options = (verb.options + [CommandSyntax.helpOption]).map(specification)
            let operands = verb.operands.enumerated().map { index, operand in
                let place = operand.isRepeating ? "*" : "\(index + 1)"
                return "'\(place):\(operand.name):\(action(operand.completion))'"
            }
            let lines = (options + operands).map { "            " + $0 }
            return "    \(names))\n        _arguments -s \\\n"
                + lines.joined(separator: " \\\n") + " ;;"
        }.joined(separator: "\n")
    }

    /// An option in the format of `_arguments`.
    private func specification(_ option: CommandSyntax.Option) -> String {
        let help = bracketed(quoted(option.help))
        let value = option.value.map { value in
            ":\(quoted(value).replacing(":", with: "\\:")):\(action(option.completion))"
        }
        let star = option.isRepeating ? "*" : ""
        guard let short = option.short else {
            return "'\(star)\(option.name)[\(help)]\(value ?? "")'"
        }
        return "'(\(short) \(option.name))'{\(short),\(option.name)}'[\(help)]\(value ?? "")'"
    }

    private func action(_ completion: CommandSyntax.Completion) -> String {
        switch completion {
        case .nothing: " "
        case .database: "_path_files -/"
        case .file: "_files"
        case .collection: "_divan_collections"
        case .document: "_divan_documents"
        case .word(let words): "(\(words.joined(separator: " ")))"
        }
    }

    /// The text escaped for a pair of single quotes.
    private func quoted(_ text: String) -> String { text.replacing("'", with: "'\\''") }

    /// The text escaped for the brackets of an option's help.
    private func bracketed(_ text: String) -> String {
        text.replacing("[", with: "\\[").replacing("]", with: "\\]")
    }
}
