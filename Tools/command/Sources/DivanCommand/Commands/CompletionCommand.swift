import DivanCommandLine

/// `divan completion`.
enum CompletionCommand: Command {
    static let syntax = CommandSyntax(
        name: "completion",
        summary: "print a shell completion script",
        operands: [.init(name: "SHELL", completion: .word(of: ["bash", "zsh", "fish"]))],
        details: """
            SHELL is bash, zsh or fish. Completes commands, options, databases, collections,
            document IDs and files.
            """,
        examples: [
            "divan completion bash > ~/.local/share/bash-completion/completions/divan",
            "divan completion zsh > \"${fpath[1]}/_divan\"",
            "divan completion fish > ~/.config/fish/completions/divan.fish",
        ]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let verbs = CommandList.all.map { $0.line }
        switch arguments.operands[0] {
        case "bash": terminal.result(BashCompletion(verbs).script)
        case "zsh": terminal.result(ZshCompletion(verbs).script)
        case "fish": terminal.result(FishCompletion(verbs).script)
        default:
            throw Failure.usage(
                "unknown shell '\(arguments.operands[0])'",
                hint: "use 'bash', 'zsh' or 'fish'"
            )
        }
    }
}
