import DivanTestKit
import Foundation
import Testing

/// The completion scripts, run as the shells run them.
@Suite struct CompletionTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.run("new", "travel", "--collections", "geo.a,geo.b")
        try shell.run("put", "travel", "route 1", "{}")
        try shell.run("put", "travel", "route 2", "{}")
        try shell.run("put", "travel", "rome", "{}", "-c", "geo.a")
        try shell.write("notes.jsonl", "")
    }

    /// What bash offers for the last of the words.
    private func offers(_ words: String...) throws -> [String] {
        let line = (["divan"] + words).map { "'\($0)'" }.joined(separator: " ")
        let outcome = try shell.bash(
            """
            source <(divan completion bash)
            COMP_WORDS=(\(line)) COMP_CWORD=\(words.count)
            _divan
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errors.isEmpty, "\(outcome.errors)")
        return outcome.output.split(separator: "\n").map(String.init)
    }

    @Test func `bash completes commands and subcommands`() throws {
        #expect(try offers("comp") == ["compare", "compact", "compress", "completion"])
        #expect(try offers("ca") == ["cat"])
        #expect(try offers("blob", "") == ["ls", "get", "put", "fetch"])
        #expect(try offers("completion", "z") == ["zsh"])
        #expect(try offers("help", "comp") == ["compare", "compact", "compress", "completion"])
        #expect(try offers("help", "cod") == ["codes"])
    }

    @Test func `bash completes the commands for peers`() throws {
        #expect(try offers("conflicts", "") == ["ls", "show", "resolve"])
        #expect(try offers("checkpoints", "r") == ["reset"])
        #expect(try offers("identity", "e") == ["export"])
        #expect(try offers("users", "v") == ["verify"])
        #expect(try offers("certs", "") == ["show"])
        #expect(try offers("st").sorted() == ["status", "studio"])
        #expect(try offers("sync", "travel", "x", "--conflicts", "m") == ["merge"])
        #expect(try offers("serve", "travel", "--cl") == ["--client-certificate", "--client-ca"])
        #expect(try offers("identity", "new", "x", "--for", "s") == ["server"])
        #expect(try offers("conflicts", "show", "travel", "ro") == ["route 1", "route 2"])
        #expect(try offers("users", "add", "no") == ["notes.jsonl"])
    }

    @Test(arguments: [#"route\ "#, #"'route "#, #""route "#])
    func `bash completes an ID in quotes`(_ typed: String) throws {
        let outcome = try shell.bash(
            """
            source <(divan completion bash)
            COMP_WORDS=(divan get travel "$TYPED") COMP_CWORD=3
            _divan
            printf '%s\\n' "${COMPREPLY[@]}"
            """,
            environment: ["TYPED": typed]
        )
        #expect(outcome.output == "route 1\nroute 2\n", "\(outcome)")
        #expect(try offers("compress", "travel", "--codec", "z") == ["zstd"])
    }

    @Test func `bash completes the options of a command`() throws {
        #expect(try offers("ls", "travel", "--l") == ["--long", "--limit"])
        #expect(try offers("blob", "put", "--t") == ["--type"])
        #expect(try offers("log", "--level", "w") == ["warning"])
        #expect(try offers("ls", "travel", "--limit", "").isEmpty)
    }

    @Test func `bash completes databases, collections, documents and files`() throws {
        #expect(try offers("ls", "tr") == ["travel"])
        #expect(try offers("ls", "travel", "-c", "geo") == ["geo.a", "geo.b"])
        #expect(try offers("get", "travel", "ro") == ["route 1", "route 2"])
        #expect(try offers("get", "-c", "geo.a", "travel", "ro") == ["rome"])
        #expect(try offers("rm", "travel", "route 1", "route") == ["route 1", "route 2"])
        #expect(try offers("import", "travel", "no") == ["notes.jsonl"])
        #expect(try offers("get", "travel", "rome", "").isEmpty)
    }

    @Test func `the zsh script contains every command and its options`() throws {
        let script = try shell.run("completion", "zsh").output
        #expect(script.hasPrefix("#compdef divan\n"))
        let help = try shell.run("--help").output
        let verbs = help.split(separator: "\n").prefix { !$0.hasPrefix("Run 'divan COMMAND") }
            .filter { $0.hasPrefix("  ") }.compactMap { line in
                line.dropFirst(2).components(separatedBy: "  ").first?.split(separator: ",").first
            }
        #expect(verbs.count > 20)
        for verb in verbs { #expect(script.contains("    \"\(verb)\""), "\(verb)") }
        #expect(script.contains("'(-c --collection)'{-c,--collection}'["))
        #expect(script.contains("'*:ID:_divan_documents'"))
    }

    /// What fish offers for a line.
    private func fishOffers(_ line: String) throws -> [String] {
        let outcome = try shell.bash(
            """
            divan completion fish > divan.fish
            fish --no-config -c 'source divan.fish; complete -C "$argv[1]"' -- "$line"
            """,
            environment: ["line": line, "HOME": shell.directory]
        )
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
        return outcome.output.split(separator: "\n").map { line in
            line.split(separator: "\t").first.map(String.init) ?? ""
        }
    }

    @Test func `fish completes commands, options, databases, collections, documents and files`()
        throws
    {
        let offered = try fishOffers("divan comp").sorted()
        #expect(offered == ["compact", "compare", "completion", "compress"])
        #expect(try fishOffers("divan blob ").sorted() == ["fetch", "get", "ls", "put"])
        #expect(try fishOffers("divan ls travel --l").sorted() == ["--limit", "--long"])
        #expect(try fishOffers("divan ls tr") == ["travel"])
        #expect(try fishOffers("divan ls travel -c geo").sorted() == ["geo.a", "geo.b"])
        #expect(try fishOffers("divan get travel ro").sorted() == ["route 1", "route 2"])
        #expect(try fishOffers("divan get -c geo.a travel ro") == ["rome"])
        #expect(try fishOffers("divan blob put travel ro").sorted() == ["route 1", "route 2"])
        #expect(try fishOffers("divan import travel no") == ["notes.jsonl"])
        #expect(try fishOffers("divan sync travel x --conflicts m") == ["merge"])
        #expect(try fishOffers("divan get travel rome no").isEmpty)
    }

    @Test func `an unsupported shell is rejected`() throws {
        let outcome = try shell.divan("completion", "tcsh")
        #expect(outcome.status == 2)
        #expect(try shell.divan("completion").status == 2)
    }
}
