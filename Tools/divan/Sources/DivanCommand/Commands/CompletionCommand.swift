import DivanCommandLine

/// `divan completion`.
enum CompletionCommand: Command {
    static let syntax = CommandSyntax(
        name: "completion",
        summary: "print a script that lets a shell complete divan's words",
        operands: [.init(name: "SHELL", completion: .word(of: ["bash", "zsh"]))],
        details: "SHELL is bash or zsh. Verbs, options, databases, collections, document IDs and "
            + "files are completed.",
        examples: [
            "divan completion bash > ~/.local/share/bash-completion/completions/divan",
            "divan completion zsh > \"${fpath[1]}/_divan\"",
        ]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let verbs = Verbs.all.map { $0.line }
        switch arguments.operands[0] {
        case "bash": terminal.result(BashCompletion(verbs).script)
        case "zsh": terminal.result(ZshCompletion(verbs).script)
        default:
            throw Failure.usage("there are scripts for bash and zsh only")
        }
    }
}
