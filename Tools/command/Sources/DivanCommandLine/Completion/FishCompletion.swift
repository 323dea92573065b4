/// The completion script for fish.
package struct FishCompletion {
    private let verbs: [CommandSyntax]
    private let words: VerbWords

    package init(_ verbs: [CommandSyntax]) {
        self.verbs = verbs
        words = VerbWords(verbs)
    }

    /// The whole script.
    package var script: String {
        """
        # Completes the words of divan in fish. Made by: divan completion fish

        # Whether the line is about one of these verbs.
        function __divan_verb
            set -l line (commandline -opc)
            set -q line[2]; or return 1
            contains -- "$line[2]" $argv; or contains -- "$line[2] $line[3]" $argv
        end

        # Whether $argv[1] is the only word so far.
        function __divan_group
            set -l line (commandline -opc)
            test (count $line) -eq 2 -a "$line[2]" = "$argv[1]"
        end

        # Prints the operands behind a verb of $argv[1] words, whose options $argv[2..] have values.
        function __divan_operands
            set -l line (commandline -opc)
            set -l isValue no
            for word in $line[(math 2 + $argv[1])..]
                if test $isValue = yes
                    set isValue no
                else if contains -- $word $argv[2..]
                    set isValue yes
                else if not string match -q -- '-*' $word
                    echo $word
                end
            end
        end

        function __divan_databases
            __fish_complete_directories (commandline -ct) database \\
                | string replace -r '\\.cblite2/?(\\t|$)' '$1'
        end

        # Those of the database that is the first operand.
        function __divan_collections
            set -l operands (__divan_operands $argv)
            divan collections "$operands[1]" 2>/dev/null | string replace -r ' .*' ''
        end

        function __divan_documents
            set -l operands (__divan_operands $argv)
            set -l line (commandline -opc)
            set -l place
            if set -l index (contains -i -- -c $line; or contains -i -- --collection $line)
                set place -c $line[(math $index + 1)]
            end
            divan ls "$operands[1]" (commandline -ct) --limit 100 $place 2>/dev/null
        end

        complete -c divan -f
        complete -c divan -n __fish_use_subcommand -l help -s h -d 'list the verbs'
        complete -c divan -n __fish_use_subcommand -l version -d 'what it speaks and runs with'
        \(verbLines.joined(separator: "\n"))
        \(verbs.flatMap(lines).joined(separator: "\n"))
        """
    }

    /// Verbs, and the first words of groups, each with its summary.
    private var verbLines: [String] {
        let single = verbs.filter { !$0.name.contains(" ") }.flatMap { verb in
            ([verb.name] + verb.aliases).map { name in
                "complete -c divan -n __fish_use_subcommand -a \(name) -d \(quoted(verb.summary))"
            }
        }
        let groups = words.groups.flatMap { group in
            let seconds = group.seconds.joined(separator: " ")
            return [
                "complete -c divan -n __fish_use_subcommand -a \(group.name) -d \(quoted(seconds))",
                "complete -c divan -n '__divan_group \(group.name)' -a \(quoted(seconds))",
            ]
        }
        return single + groups
    }

    /// The options and operands of a verb.
    private func lines(_ verb: CommandSyntax) -> [String] {
        let names = ([verb.name] + verb.aliases).map { "\"\($0)\"" }.joined(separator: " ")
        let isVerb = "__divan_verb \(names)"
        let options = verb.options + [CommandSyntax.helpOption]
        let valued = options.filter { $0.value != nil }.flatMap(\.names)
        let wordCount = verb.name.split(separator: " ").count
        let reading = (["\(wordCount)"] + valued).joined(separator: " ")
        let optionLines = options.map { option in
            var line = "complete -c divan -n \(quoted(isVerb)) -l \(option.name.dropFirst(2))"
            if let short = option.short { line += " -s \(short.dropFirst())" }
            if option.value != nil { line += value(option.completion, reading) }
            return line + " -d \(quoted(option.help))"
        }
        let operandLines = verb.operands.enumerated().compactMap { index, operand -> String? in
            guard operand.completion != .nothing else { return nil }
            let comparison = operand.isRepeating ? "-ge" : "-eq"
            let place = "test (count (__divan_operands \(reading))) \(comparison) \(index)"
            return "complete -c divan -n \(quoted("\(isVerb); and \(place)"))"
                + offer(operand.completion, reading)
        }
        return optionLines + operandLines
    }

    /// What follows an option that has a value.
    private func value(_ completion: CommandSyntax.Completion, _ reading: String) -> String {
        completion == .file ? " -r -F" : " -x" + (offer(completion, reading))
    }

    private func offer(_ completion: CommandSyntax.Completion, _ reading: String) -> String {
        switch completion {
        case .nothing: ""
        case .file: " -F"
        case .database: " -a '(__divan_databases)'"
        case .collection: " -a '(__divan_collections \(reading))'"
        case .document: " -a '(__divan_documents \(reading))'"
        case .word(let words): " -a " + quoted(words.joined(separator: " "))
        }
    }

    /// The text in single quotes.
    private func quoted(_ text: String) -> String {
        "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
    }
}
