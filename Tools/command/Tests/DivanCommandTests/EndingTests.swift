import DivanPlatform
import DivanTestKit
import Foundation
import Testing

/// How a command ends when it is stopped.
@Suite(.timeLimit(.minutes(5))) struct EndingTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.run("new", "a")
        try shell.run("new", "b")
    }

    @Test(arguments: [Signal.interrupt, .terminate])
    func `a stopped continuous sync exits with 0`(_ signal: Signal) throws {
        let server = try shell.serve("a", "--no-tls")
        try shell.write("errors", "")
        let follower = try shell.start(
            ["sync", "b", try server.url(), "--continuous"],
            errors: .file(shell.path("errors"))
        )
        try follower.wait(for: "idle")
        follower.process.signal(signal)
        #expect(follower.process.finish().status == 0)
        #expect(try shell.text("errors").isEmpty)
        server.stop()
    }

    @Test func `a stopped sync reports the signal`() throws {
        let server = try shell.serve("a", "--no-tls")
        let url = try server.url()
        let follower = try shell.startBash("exec divan sync b \(url) --continuous")
        try follower.wait(for: "In sync with the peer")
        follower.signal(.terminate)
        let outcome = follower.finish()
        #expect(outcome.status == 0 && outcome.output.contains("stopped by SIGTERM"), "\(outcome)")
        server.stop()
    }

    @Test func `a continuous sync stopped before it reached its peer exits with 130`() throws {
        let follower = try shell.startBash("exec divan sync b ws://127.0.0.1:1/a --continuous")
        try follower.wait(for: "refused")
        follower.signal(.terminate)
        let outcome = follower.finish()
        #expect(outcome.status == 130, "\(outcome)")
        let told = "stopped by SIGTERM before it was up to date; last error: "
        #expect(outcome.output.contains(told), "\(outcome)")
    }

    /// Swift's runtime would search for the cause of a crash, for minutes.
    @Test(arguments: ["serve", "watch"])
    func `SIGQUIT ends a command at once`(_ verb: String) throws {
        try shell.write("errors", "")
        let words =
            verb == "serve" ? ["serve", "a", "--no-tls", "--interface", "127.0.0.1"] : [verb, "a"]
        let running = try shell.start(
            words,
            ["SWIFT_BACKTRACE": "enable=yes,interactive=no"],
            // The one with Swift's libraries inside would not find the program that searches.
            of: .built("divan"),
            errors: .file(shell.path("errors"))
        )
        _ = try running.event { $0["event"] != nil }
        running.process.signal(.quit)
        #expect(running.process.finish().status == Signal.quit.rawValue)
        #expect(try shell.text("errors").isEmpty)
    }

    // MARK: Nothing half-written

    /// Fills the database `a` with this many documents of 300 bytes.
    private func fill(_ count: Int) throws {
        let filler = String(repeating: "x", count: 300)
        let lines = (0..<count).map { #"{"_id":"doc-\#($0)","x":"\#(filler)"}"# }
        try shell.write("lines.json", lines.joined(separator: "\n"))
        try shell.run("import", "a", "lines.json", "--from", "json")
    }

    /// The output file has no name, or a temporary one, until it is complete.
    @Test(arguments: ["dump a out", "export a out", "export a out.csv", "cp a out.jsonl"])
    func `a stopped command leaves no partial file`(_ words: String) throws {
        try fill(20_000)
        let script = """
            divan \(words) & pid=$!
            begun() {
                for file in /proc/$pid/fd/*; do
                    case "$(readlink "$file")" in
                    *deleted* | *.divan-*)
                        size=$(stat -L -c %s "$file" 2>/dev/null || echo 0)
                        [ "$size" -gt 0 ] && return 0 ;;
                    esac
                done
                return 1
            }
            until begun; do kill -0 $pid || exit 1; done
            kill -TERM $pid
            wait $pid || echo "status $?"
            ls -A
            """
        let outcome = try shell.bash(script)
        #expect(outcome.output.contains("status 130"), "\(outcome)")
        #expect(
            outcome.errors.contains("stopped by SIGTERM; no file was written")
                || outcome.errors.contains("stopped by SIGTERM; no dump was written"),
            "\(outcome)"
        )
        #expect(!outcome.output.contains("out") && !outcome.output.contains(".tmp"), "\(outcome)")
    }

    /// The end of the input never comes.
    @Test(arguments: ["restore again -", "cp again.jsonl again"], ["TERM", "INT"])
    func `a stopped command leaves no partial database`(_ words: String, _ signal: String) throws {
        try shell.run("put", "a", "one", "{}")
        try shell.run("dump", "a", "a.dump")
        let script = """
            set -m
            mkfifo again.jsonl
            exec 3<>again.jsonl
            \(words.hasPrefix("cp") ? #"echo '{"_id":"x"}' >&3"# : "head -n 3 a.dump >&3")
            divan \(words) <&3 & pid=$!
            until ls -d again*ing* >/dev/null 2>&1; do kill -0 $pid || exit 1; done
            kill -\(signal) $pid
            wait $pid || echo "status $?"
            exec 3>&-
            rm again.jsonl
            ls -A
            """
        let outcome = try shell.bash(script)
        #expect(outcome.output.contains("status 130"), "\(outcome)")
        #expect(outcome.errors.contains("; no database was created"), "\(outcome)")
        #expect(!outcome.output.contains("again"), "\(outcome)")
    }

    // MARK: Verbs that handle no signal

    /// The input never arrives; the signals are handled soon after the start.
    @Test(
        arguments: ["put a doc -", "wire decode -", "put a doc - --json"],
        [("TERM", "SIGTERM"), ("INT", "Ctrl-C")]
    )
    func `a command without a signal handler reports the signal`(
        _ words: String,
        _ signal: (name: String, cause: String)
    ) throws {
        let script = """
            set -m
            mkfifo input
            exec 3<>input
            divan \(words) <&3 & pid=$!
            for round in {1..5000}; do
                mask=$(grep SigCgt /proc/$pid/status) || exit 1
                [ $((0x${mask##*[[:space:]]} & 0x4002)) = $((0x4002)) ] && break
            done
            kill -\(signal.name) $pid
            wait $pid || echo "status $?"
            """
        let outcome = try shell.bash(script)
        #expect(outcome.output.contains("status 130"), "\(outcome)")
        let sentence = "stopped by \(signal.cause)"
        #expect(
            outcome.errors.contains(
                words.hasSuffix("--json")
                    ? #""kind":"interrupted","sentence":"\#(sentence)""# : "divan: \(sentence)\n"
            ),
            "\(outcome)"
        )
    }

    @Test(arguments: ["export a -", "dump a"])
    func `a command blocked on its output reports the signal`(_ words: String) throws {
        try fill(2_000)
        let script = """
            set -m
            mkfifo output
            exec 3<>output
            divan \(words) >&3 & pid=$!
            head -c 1 <&3 >/dev/null
            kill -TERM $pid
            wait $pid || echo "status $?"
            """
        let outcome = try shell.bash(script)
        #expect(outcome.output.contains("status 130"), "\(outcome)")
        #expect(outcome.errors.contains("divan: stopped by SIGTERM\n"), "\(outcome)")
    }

    @Test func `an ignored SIGINT stays ignored`() throws {
        let outcome = try shell.bash(
            """
            trap '' INT
            mkfifo input
            divan put a doc - <input & pid=$!
            exec 3>input
            until grep -q 'SigCgt:.*4...$' /proc/$pid/status; do kill -0 $pid || exit 1; done
            kill -INT $pid
            echo '{"x":1}' >&3
            exec 3>&-
            wait $pid && echo "status $?"
            """
        )
        #expect(outcome.output.contains("status 0"), "\(outcome)")
    }

    /// The editor continues, like one with its own window.
    @Test func `stopping edit reports the file with the text`() throws {
        let script = """
            set -m
            mkdir temporary
            export TMPDIR=$PWD/temporary
            mkfifo opened closed
            echo 'echo open >opened; read line <closed; echo ended >opened' >editor
            EDITOR='bash editor' divan edit a doc --create & pid=$!
            read line <opened
            kill -TERM $pid
            wait $pid || echo "status $?"
            echo >closed
            read line <opened
            ls -d temporary/*/*
            """
        let outcome = try shell.bash(script)
        #expect(outcome.output.contains("status 130"), "\(outcome)")
        let file = try #require(outcome.output.split(separator: "\n").last)
        #expect(outcome.errors.contains("stopped by SIGTERM; your text is in"), "\(outcome)")
        #expect(outcome.errors.contains("/\(file)\n"), "\(outcome)")
    }

    /// The peer accepts the connection and never answers.
    @Test func `a stopped repair leaves no downloaded files`() throws {
        try shell.run("put", "a", "one", #"{"text":"of one"}"#)
        try shell.run("compact", "a")
        let file = URL(filePath: shell.path("a.cblite2/db.sqlite3"))
        var bytes = try Data(contentsOf: file)
        let place = try #require(bytes.range(of: Data("of one".utf8)))
        bytes[place.lowerBound] ^= 1
        try bytes.write(to: file)
        let script = """
            set -m
            mkdir temporary
            export TMPDIR=$PWD/temporary
            mkfifo told
            python3 -c '
            import socket
            server = socket.create_server(("127.0.0.1", 0))
            print(server.getsockname()[1], flush=True)
            client = server.accept()
            print("here", flush=True)
            while client[0].recv(4096): pass
            ' >told & peer=$!
            exec 3<told
            read port <&3
            divan check a --repair-from ws://127.0.0.1:$port/a & pid=$!
            read here <&3
            ls temporary
            kill -TERM $pid
            wait $pid || echo "status $?"
            kill $peer 2>/dev/null || true
            echo "left $(ls -A temporary)."
            ls -A
            """
        let outcome = try shell.bash(script)
        #expect(outcome.output.contains("divan-repair-"), "\(outcome)")
        #expect(outcome.output.contains("status 130"), "\(outcome)")
        #expect(outcome.output.contains("left .\n"), "\(outcome)")
        #expect(!outcome.output.contains("a.rebuilding"), "\(outcome)")
        #expect(
            outcome.errors.contains(
                "stopped by SIGTERM; run the command again to continue the repair"
            )
        )
        try shell.divan("check", "a").expectFailure(5, "1 document damaged")
    }
}
