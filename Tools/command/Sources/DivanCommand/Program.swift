import DivanCommandLine
import DivanJSON
import DivanPlatform

/// The `divan` program: finds the command, runs it, and reports a failure in one line and a hint.
public enum Program {
    /// Runs a command line, without the program's name; returns the exit code.
    public static func run(_ words: [String]) -> Int32 {
        StandardStreams.settle()
        QuitSignal.settle()
        StopSignals.settle { cause in
            Failure.stopped(by: cause).text(asJSON: words.contains("--json"))
        }
        CoreDump.forbid()
        return perform(words)
    }

    private static func perform(_ words: [String]) -> Int32 {
        var terminal = Terminal()
        terminal.isJSON = words.contains("--json")
        var failure: Failure?
        do {
            try run(words, terminal)
        } catch is ResultStream.Ended {
            // Already reported.
        } catch let done as HolderClient.Done {
            return done.status
        } catch {
            failure = Failure(explaining: error)
        }
        failure = Self.failure(failure, losing: terminal.lostResult)
        guard let failure else { return 0 }
        report(failure, of: words, terminal)
        return failure.kind.rawValue
    }

    /// Runs another process's command line on a database that this process holds.
    static func runHeld(_ words: [String]) -> Int32 {
        guard let (verb, rest) = try? CommandList.find(words[...]),
            let arguments = try? Arguments(naming: rest, syntax: verb.line),
            verb.isDoneByHolder(arguments)
        else {
            // The command has read them already.
            return refuseHeld(
                words,
                because: Failure(
                    kind: .database,
                    sentence: "the process that has the database open is another version of "
                        + "divan, and cannot run this command",
                    hint: "restart that process"
                )
            )
        }
        return perform(words)
    }

    /// Reports to another process why its command did not run; returns the exit code.
    static func refuseHeld(_ words: [String], because failure: Failure) -> Int32 {
        var terminal = Terminal()
        terminal.isJSON = words.contains("--json")
        report(failure, of: words, terminal)
        return failure.kind.rawValue
    }

    /// The failure of a command whose results could not be written, whatever else it did.
    private static func failure(_ failure: Failure?, losing problem: Errno?) -> Failure? {
        // A reader that has read enough (`divan ls | head`) is not an error.
        guard let problem, problem != .brokenPipe else { return failure }
        var lost = Failure.writing(StandardStreams.output, problem)
        lost.kind = .database
        if let failure { lost.sentence = "\(failure.sentence); \(lost.sentence)" }
        return lost
    }

    private static func run(_ words: [String], _ terminal: Terminal) throws {
        // From another shell they arrived as JSON, and it has checked the bytes.
        if Streams.current.interruption == nil { try ArgumentBytes.check(words) }
        guard let name = words.first else { return try HelpCommand.show([], terminal) }
        switch name {
        case "--help", "-h", "help":
            let asked = words.dropFirst().filter { !["--json", "--help", "-h"].contains($0) }
            let isAsked = words.contains("--help") || words.contains("-h")
            let isAboutItself = name == "help" && isAsked && asked.isEmpty
            return try HelpCommand.show(isAboutItself ? [name] : asked[...], terminal)
        case "--version":
            return terminal.result(terminal.isJSON ? VersionPage.json : VersionPage.text)
        default: break
        }
        if ["--help", "-h"].contains(words.last),
            let page = CommandList.help(ofGroup: words.dropLast())
        {
            return terminal.result(page)
        }
        let isAlone = words.dropFirst().first.map { $0.hasPrefix("-") } ?? true
        if isAlone, !CommandList.isVerb(name), DatabasePath(name).exists {
            return try run(["shell"] + words, terminal)
        }
        let (verb, rest) = try CommandList.find(words[...])
        let arguments = try Arguments(naming: rest, syntax: verb.line)
        if arguments.wantsHelp { return terminal.result(verb.line.help) }
        // For another shell the database is already open, with the keys and the log of this process.
        if Streams.current.interruption == nil {
            Journal.begin()
            if verb.isDoneByHolder(arguments), let holder = HolderClient.find(arguments.database) {
                try holder.run(words)
            }
            try KeyRing.shared.take(arguments, of: verb.line)
        }
        do {
            try verb.run(arguments, terminal)
        } catch {
            if error is ResultStream.Ended || error is HolderClient.Done { throw error }
            let failure = Failure(explaining: error)
            throw failure.naming(credentialsOf: arguments)
        }
    }

    private static func report(_ failure: Failure, of words: [String], _ terminal: Terminal) {
        terminal.write(failure.text(asJSON: terminal.isJSON), to: .standardError)
        if terminal.isJSON { return }
        if failure.kind == .usage {
            guard failure.hint == nil else { return }
            let verb = try? CommandList.find(words[...]).verb.syntax.name
            let help = verb.map { "divan \($0) --help" } ?? "divan --help"
            terminal.write("hint: see '\(help)'\n", to: .standardError)
        } else if let code = failure.code, ErrorCode.find(code) != nil {
            terminal.write("hint: run 'divan help \(code)' for details\n", to: .standardError)
        }
    }
}

/// `divan help`.
enum HelpCommand: Command {
    static let syntax = CommandSyntax(
        name: "help",
        summary: "show help about a command, an exit code or an error code",
        operands: [
            .init(
                name: "COMMAND|CODE",
                isOptional: true,
                isRepeating: true,
                completion: .word(of: topics)
            )
        ],
        details: """
            Without an argument, it lists the commands. 'divan help codes' lists the error codes.
            CODE may also be an HTTP status or a WebSocket close code.
            """,
        examples: ["divan help put", "divan help 10404", "divan help codes"]
    )

    /// The topics of `help`, except its own name, which is not initialized yet.
    private static var topics: [String] {
        let verbs = CommandList.all.filter { $0 != HelpCommand.self }
        let names = verbs.flatMap { [$0.syntax.name] + $0.syntax.aliases }
        var words: [String] = []
        for word in names.compactMap({ $0.split(separator: " ").first.map(String.init) })
        where !words.contains(word) { words.append(word) }
        return words + ["codes"]
    }

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        try show(arguments.operands[...], terminal)
    }

    /// Prints the page about these words; about all commands if there are none.
    static func show(_ words: ArraySlice<String>, _ terminal: Terminal) throws {
        guard let word = words.first else { return terminal.result(HelpPage.text) }
        if let page = CommandList.help(ofGroup: words) { return terminal.result(page) }
        guard words.count == 1 else { return try showVerb(words, terminal) }
        if word == "codes" { return terminal.result(ErrorCode.table) }
        guard Int(word) != nil || word.allSatisfy(\.isNumber) else {
            return try showVerb(words, terminal)
        }
        guard let page = Int(word).flatMap({ ErrorCode.page(about: $0) }) else {
            throw Failure.usage(
                "unknown code '\(word)'",
                hint: "run 'divan help codes' to list the error codes"
            )
        }
        terminal.result(page)
    }

    private static func showVerb(_ words: ArraySlice<String>, _ terminal: Terminal) throws {
        terminal.result(try CommandList.find(words).verb.line.help)
    }
}

/// What `divan --help` prints.
enum HelpPage {
    static var text: String {
        """
        Usage: divan COMMAND [arguments] [options]

        Create, query and sync JSON document databases.

        \(CommandList.page)

        Run 'divan COMMAND --help' for the options and examples of a command.

        DB is the path of a database, with or without .cblite2. Results are written to
        standard output, and messages to standard error. To print a log, set DIVAN_LOG
        to warning, info or verbose.

        Exit codes:
        \(Failure.exitCodes)

        Run 'divan help codes' for the list of error codes, and 'divan help CODE' for
        the meaning of one. They are also in Docs/errors.md.
        """
    }
}

extension Failure {
    /// The text for standard error: a line for the sentence and one for the hint, even if a peer or a file put
    /// line breaks into them.
    func text(asJSON isJSON: Bool) -> String {
        guard !isJSON else { return json + "\n" }
        // A usage error begins with the name of the command, such as `divan put`.
        let own = "divan "
        let rest =
            kind == .usage && sentence.hasPrefix(own)
            ? sentence.dropFirst(own.count) : sentence[...]
        return "divan: \(String(rest).escapingControlCharacters())\n\(hintLine)"
    }

    /// The line of the hint with its end; empty without a hint.
    var hintLine: String { hint.map { "hint: \($0.escapingControlCharacters())\n" } ?? "" }

    /// The failure as one line for machines, on standard error: its kind, the exit code, the sentence, and
    /// the hint and the API's code if there are any.
    fileprivate var json: String {
        var members: JSONObject = [
            "exit": JSON(Int(kind.rawValue)), "kind": .string("\(kind)"),
            "sentence": .string(sentence),
        ]
        if let hint { members["hint"] = .string(hint) }
        if let code { members["code"] = JSON(code) }
        return JSON.object(["error": .object(members)]).canonicalText
    }
}
