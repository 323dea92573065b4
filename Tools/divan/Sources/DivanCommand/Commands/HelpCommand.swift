import DivanCommandLine

/// `divan help`.
enum HelpCommand: Command {
    static let syntax = CommandSyntax(
        name: "help",
        summary: "explain a verb, an exit code or the code of an error",
        operands: [
            .init(
                name: "VERB|CODE",
                isOptional: true,
                isRepeating: true,
                completion: .word(of: topics)
            )
        ],
        details:
            "Without a word it lists the verbs; codes lists the codes of errors. An HTTP status or a "
            + "close code of WebSocket is explained, too.",
        examples: ["divan help put", "divan help 10404", "divan help codes"]
    )

    /// What can be asked for; its own name is left out, for it is not known before this is.
    private static var topics: [String] {
        let verbs = Verbs.all.filter { $0 != HelpCommand.self }
        let names = verbs.flatMap { [$0.syntax.name] + $0.syntax.aliases }
        var words: [String] = []
        for word in names.compactMap({ $0.split(separator: " ").first.map(String.init) })
        where !words.contains(word) { words.append(word) }
        return words + ["codes"]
    }

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        try show(arguments.operands[...], terminal)
    }

    /// Prints the page about these words; about all verbs where there are none.
    static func show(_ words: ArraySlice<String>, _ terminal: Terminal) throws {
        guard let word = words.first else { return terminal.result(HelpPage.text) }
        if let page = Verbs.help(ofGroup: words) { return terminal.result(page) }
        guard words.count == 1 else { return try showVerb(words, terminal) }
        if word == "codes" { return terminal.result(ErrorCode.table) }
        guard Int(word) != nil || word.allSatisfy(\.isNumber) else {
            return try showVerb(words, terminal)
        }
        guard let page = Int(word).flatMap({ ErrorCode.page(about: $0) }) else {
            throw Failure.usage("there is no code \(word); divan help codes lists those that are")
        }
        terminal.result(page)
    }

    private static func showVerb(_ words: ArraySlice<String>, _ terminal: Terminal) throws {
        terminal.result(try Verbs.find(words).verb.line.help)
    }
}

/// What `divan --help` prints.
enum HelpPage {
    static var text: String {
        """
        Usage: divan VERB [arguments] [options]

        Documents, blobs and sync between peers, from the shell.

        \(Verbs.page)

        divan VERB --help explains a verb. A database is named by its path, with or
        without .cblite2. Results go to standard output, everything else to
        standard error.

        DIVAN_LOG=warning, info or verbose shows what goes on inside.

        Exit codes:
        \(Failure.exitCodes)

        divan help CODE explains the code of an error, divan help codes lists them;
        Docs/errors.md is the same page.
        """
    }
}
