import DivanCommandLine
import DivanTestKit
import Testing

@testable import DivanCommand

/// The hints for commands that other programs have.
@Suite(.timeLimit(.minutes(5))) struct CommandHintTests {
    /// Commands that people try first, and what each hint suggests.
    private static let rows: [(String, String)] = [
        ("clean", "'divan compact DB'"),
        ("clone", "'divan cp DB COPY'"), ("connect", "'divan open DB'"),
        ("convert", "'divan import-cblite OLD NEW'"), ("copy", "'divan cp DB COPY'"),
        ("create", "'divan new DB'"), ("create-collection", "'divan mkcoll DB NAME'"),
        ("decompress", "'divan compress DB --off'"), ("destroy", "'rm -r DB.cblite2'"),
        ("drop", "'divan collections DB --rm NAME'"), ("fsck", "'divan check DB'"),
        ("gc", "'divan compact DB'"), ("init", "'divan new DB'"),
        ("load", "'divan import DB FILE'"), ("migrate", "'divan import-cblite OLD NEW'"),
        ("mkdb", "'divan new DB'"), ("mkdir", "'divan new DB'"),
        ("move", "'mv OLD.cblite2 NEW.cblite2'"), ("mv", "'mv OLD.cblite2 NEW.cblite2'"),
        ("optimize", "'divan compact DB'"), ("rename", "'mv OLD.cblite2 NEW.cblite2'"),
        ("repair", "'divan check DB --repair-from URL'"), ("schema", "'divan collections DB'"),
        ("tables", "'divan collections DB'"), ("unpack", "'divan compress DB --off'"),
        ("use", "'divan open DB'"), ("vacuum", "'divan compact DB'"),
        ("validate", "'divan check DB'"), ("verify", "'divan check DB'"),
        ("add", "'divan put DB ID'"), ("attach", "'divan blob put DB ID KEY FILE'"),
        ("del", "'divan rm DB ID'"), ("delete", "'divan rm DB ID'"), ("dir", "'divan ls DB'"),
        ("docs", "'divan ls DB'"), ("documents", "'divan ls DB'"),
        ("history", "'divan revs DB ID'"), ("insert", "'divan put DB ID'"),
        ("list", "'divan ls DB'"), ("read", "'divan get DB ID'"), ("remove", "'divan rm DB ID'"),
        ("revisions", "'divan revs DB ID'"), ("save", "'divan put DB ID'"),
        ("set", "'divan put DB ID'"), ("show", "'divan get DB ID'"),
        ("ttl", "'divan expire DB ID'"), ("update", "'divan put DB ID'"),
        ("upsert", "'divan put DB ID'"), ("view", "'divan get DB ID'"),
        ("count", "'divan collections DB'"),
        ("create-index", "'divan index make DB NAME PROPERTY'"),
        ("drop-index", "'divan index rm DB NAME'"), ("exec", "'divan query DB SELECT'"),
        ("execute", "'divan query DB SELECT'"), ("find", "'divan query DB SELECT'"),
        ("indexes", "'divan index ls DB'"), ("repl", "'divan open DB'"),
        ("sql", "'divan query DB SELECT'"),
        ("adduser", "'divan users add FILE NAME'"), ("changes", "'divan watch DB'"),
        ("download", "'divan pull DB URL'"), ("fetch", "'divan pull DB URL'"),
        ("follow", "'divan watch DB'"), ("keygen", "'divan identity new LABEL'"),
        ("listen", "'divan serve DB'"), ("login", "'divan sync DB URL --user NAME'"),
        ("merge", "'divan conflicts resolve DB ID --merge'"), ("monitor", "'divan top'"),
        ("passwd", "'divan users add FILE NAME --replace'"), ("ping", "'divan doctor URL'"),
        ("replicate", "'divan sync DB URL'"), ("resolve", "'divan conflicts resolve DB ID'"),
        ("send", "'divan push DB URL'"), ("server", "'divan serve DB'"),
        ("share", "'divan serve DB'"), ("start", "'divan serve DB'"), ("stop", "press Ctrl-C"),
        ("subscribe", "'divan watch DB'"), ("tail", "'divan watch DB'"),
        ("upload", "'divan push DB URL'"), ("-v", "'divan --version'"),
        ("browse", "'divan studio DB'"), ("commands", "'divan --help'"),
        ("diagnose", "'divan doctor DB'"), ("diff", "'divan compare DB OTHER'"),
        ("gui", "'divan studio DB'"), ("logs", "'divan log FILE'"), ("ps", "'divan top'"),
        ("stat", "'divan info DB'"), ("stats", "'divan info DB'"), ("test", "'divan doctor DB'"),
        ("ui", "'divan studio DB'"), ("usage", "'divan --help'"), ("version", "'divan --version'"),
        ("web", "'divan studio DB'"),
        ("databases", "'divan top'"), ("du", "'divan info DB'"), ("key", "'divan rekey DB'"),
        ("recover", "'divan check DB --repair-from URL'"), ("shrink", "'divan compact DB'"),
        ("size", "'divan info DB'"), ("attachments", "'divan blob ls DB'"),
        ("grep", "'divan ls DB --where CONDITION'"), ("print", "'divan get DB ID'"),
        ("analyze", "'divan index suggest DB SELECT'"),
        ("vector", "'divan index make DB NAME PROPERTY --vector N'"),
        ("cluster", "'divan mesh join DB GROUP'"), ("daemon", "'divan serve DB'"),
        ("gateway", "'divan sync DB URL'"), ("join", "'divan mesh join DB GROUP'"),
        ("metrics", "'divan serve DB --metrics-port PORT'"),
        ("password", "'divan users add FILE NAME --replace'"), ("peers", "'divan discover'"),
        ("renew", "'divan identity renew LABEL'"), ("reset", "'divan checkpoints reset DB URL'"),
        ("kick", "'divan disconnect DB PEER'"), ("rest", "'divan serve DB --rest PORT'"),
        ("run", "'divan serve DB'"),
    ]

    @Test func `every hint has a row in these tests`() {
        #expect(Self.rows.map(\.0).sorted() == CommandList.hints.keys.sorted())
    }

    @Test(arguments: rows)
    func `a command name of another program gets a hint`(
        _ typed: String,
        _ suggested: String
    ) throws {
        let outcome = try Shell().divan(typed)
        let kind = typed.hasPrefix("-") ? "option" : "command"
        outcome.expectFailure(2, "unknown \(kind) '\(typed)'", suggested)
        #expect(outcome.complaints.count == 2, "\(outcome.errors)")
    }

    @Test func `hints ignore case`() throws {
        try Shell().divan("Find").expectFailure(2, "unknown command 'Find'", "'divan query")
        try Shell().divan("-V").expectFailure(2, "unknown option '-V'", "'divan --version'")
    }

    @Test func `hints suggest commands and options that exist`() throws {
        for (typed, hint) in CommandList.hints {
            for match in hint.matches(of: #/'divan ([^']+)'/#) {
                let words = match.1.split(separator: " ").map(String.init)
                if words[0].hasPrefix("--") { continue }
                let (verb, rest) = try CommandList.find(words[...])
                let names = verb.line.options.map(\.name)
                for word in rest where word.hasPrefix("--") {
                    #expect(names.contains(word), "\(typed): \(hint)")
                }
            }
        }
    }

    @Test(arguments: [
        ("seal", "encrypt"), ("unseal", "decrypt"), ("pack", "compress"), ("cat", "get"),
    ])
    func `an alias shows the help page of its command`(_ alias: String, _ name: String) throws {
        let shell = try Shell()
        let page = try shell.run("help", alias).output
        #expect(page.hasPrefix("Usage: divan \(name) DB"), "\(page)")
        #expect(page.contains("\nAlias: divan \(alias)\n"), "\(page)")
        #expect(try shell.run(alias, "--help").output == page)
    }
}
