import DivanCommandLine
import DivanJSON
import Glibc

/// The `divan` command: finds the verb, runs it, and turns what went wrong into one line.
public enum Program {
    /// Runs the words of a command line, the program's name left out; returns the exit code.
    public static func run(_ words: [String]) -> Int32 {
        StandardStreams.settle()
        Quitting.settle()
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
            // Told below.
        } catch let done as HolderClient.Done {
            return done.status
        } catch {
            failure = (error as? Failure) ?? Failure(explaining: error)
        }
        failure = Self.failure(failure, losing: terminal.lostResult)
        guard let failure else { return 0 }
        report(failure, of: words, terminal)
        return failure.kind.rawValue
    }

    /// Runs the words of another process's command line, whose database this process holds.
    static func runHeld(_ words: [String]) -> Int32 {
        guard let (verb, rest) = try? Verbs.find(words[...]),
            let arguments = try? Arguments(naming: rest, syntax: verb.line),
            verb.isDoneByHolder(arguments)
        else { return Failure.Kind.usage.rawValue }
        return perform(words)
    }

    /// What became of a verb whose results may be lost: whatever else it did, nobody got them.
    private static func failure(_ failure: Failure?, losing problem: Int32?) -> Failure? {
        // A reader that has enough (`divan ls | head`) is no mistake.
        guard let problem, problem != EPIPE else { return failure }
        var lost = Failure.writing(StandardStreams.output, problem)
        lost.kind = .database
        if let failure { lost.sentence = "\(failure.sentence); and \(lost.sentence)" }
        return lost
    }

    private static func run(_ words: [String], _ terminal: Terminal) throws {
        try ArgumentBytes.check(words)
        guard let name = words.first else {
            throw Failure.usage("which verb?")
        }
        switch name {
        case "--help", "-h", "help":
            let asked = words.dropFirst().filter { !["--json", "--help", "-h"].contains($0) }
            let isAboutItself = name == "help" && words.count > 1 && asked.isEmpty
            return try HelpCommand.show(isAboutItself ? [name] : asked[...], terminal)
        case "--version":
            return terminal.result(terminal.isJSON ? VersionPage.json : VersionPage.text)
        default: break
        }
        if ["--help", "-h"].contains(words.last), let page = Verbs.help(ofGroup: words.dropLast()) {
            return terminal.result(page)
        }
        if words.count == 1, !Verbs.isVerb(name), DatabasePath(name).exists {
            return try run(["shell", name], terminal)
        }
        let (verb, rest) = try Verbs.find(words[...])
        let arguments = try Arguments(naming: rest, syntax: verb.line)
        if arguments.wantsHelp { return terminal.result(verb.line.help) }
        // For another shell the database is open already, with the keys and the log of this process.
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
            let failure = (error as? Failure) ?? Failure(explaining: error)
            throw failure.naming(credentialsOf: arguments)
        }
    }

    private static func report(_ failure: Failure, of words: [String], _ terminal: Terminal) {
        if terminal.isJSON { return terminal.write(failure.json + "\n", to: 2) }
        // One line, whatever a peer or a file put into the text.
        let sentence = failure.sentence.escapingControlCharacters()
        terminal.write("divan: \(sentence)\n", to: 2)
        if failure.kind == .usage {
            let verb = try? Verbs.find(words[...]).verb.syntax.name
            let help =
                verb.map { "divan \($0) --help for its rules" } ?? "divan --help for the verbs"
            terminal.write("Type \(help).\n", to: 2)
        } else if let code = failure.code, ErrorCode.find(code) != nil {
            terminal.write("Type divan help \(code) for what it means and what to do.\n", to: 2)
        }
    }
}

extension Failure {
    /// The failure as one line for machines, on standard error: its kind, the exit code, the sentence, and
    /// the code of the API if there is one.
    fileprivate var json: String {
        var members: JSONObject = [
            "exit": JSON(Int(kind.rawValue)), "kind": .string("\(kind)"),
            "sentence": .string(sentence),
        ]
        if let code { members["code"] = JSON(code) }
        return JSON.object(["error": .object(members)]).canonicalText
    }
}
