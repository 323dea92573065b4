import DivanPlatform
import DivanTestKit
import Foundation
import Testing

/// System programs are run, answer, and end.
@Suite(.timeLimit(.minutes(5))) struct ProgramTests {
    private let shell = Program("/bin/sh")

    @Test func `the outcome contains the exit status and both output streams`() throws {
        let outcome = try shell.run(["-c", "cat; echo oops >&2; exit 3"], input: "one\n\ntwo\n")
        #expect(outcome.status == 3 && !outcome.isSignalled)
        #expect(outcome.output == "one\n\ntwo\n")
        #expect(outcome.lines == ["one", "two"])
        #expect(outcome.errors == "oops\n")
    }

    @Test func `a program that does not read its input does not block the caller`() throws {
        let long = String(repeating: "a", count: 1 << 20)
        #expect(try shell.run(["-c", "exit 0"], input: long).status == 0)
    }

    @Test func `environment variables can be added and removed, and a directory set`() throws {
        let folder = try TemporaryDirectory()
        var program = shell
        program.environment = ["DIVAN_COLOUR": "green", "HOME": nil]
        program.directory = folder.path
        let outcome = try program.run(["-c", "echo $DIVAN_COLOUR ${HOME-none} $PWD"])
        #expect(outcome.lines == ["green none \(folder.path)"])
    }

    @Test func `an installed program is found, and a missing program is an error`() throws {
        #expect(try #require(Program.installed("sh")).run(["-c", "exit 7"]).status == 7)
        #expect(Program.installed("no-such-program-anywhere") == nil)
        #expect(throws: (any Error).self) { try Program.built("no-such-program").run([]) }
    }

    @Test func `a program answers line by line until its input ends`() throws {
        let script = "while read -r line; do echo \"you said $line\"; done; echo bye"
        let program = try shell.start(["-c", script], input: .lines)
        #expect(try program.ask("hello") == "you said hello")
        #expect(try program.ask("wörld") == "you said wörld")
        program.endInput()
        #expect(try program.line() == "bye")
        #expect(program.finish().lines == ["you said hello", "you said wörld", "bye"])
    }

    @Test func `waiting for a line skips other lines`() throws {
        let script = "printf 'a\\nb\\n{\"event\":\"x\"}\\n[]\\n{\"event\":\"y\",\"port\":7}\\n'"
        let program = try shell.start(["-c", script])
        #expect(try program.line { $0 > "a" } == "b")
        #expect(try program.event { $0["event"] as? String == "y" }["port"] as? Int == 7)
    }

    @Test func `the README example works`() throws {
        let script = "while read -r line; do echo 7; done"
        let worker = try Program("/bin/sh").start(["-c", script], input: .lines)
        let count = try worker.ask("count")
        let outcome = worker.kill()
        #expect(count == "7")
        #expect(outcome.isSignalled)
    }

    @Test func `waiting for text finds it inside a line`() throws {
        let program = try shell.start(["-c", "printf 'ready> '; cat"], input: .lines)
        try program.wait(for: "ready")
        #expect(try program.ask("on") == "ready> on")
    }

    @Test func `a program that ends early is reported with its status`() throws {
        let program = try shell.start(["-c", "echo last words; exit 9"])
        #expect(try program.line() == "last words")
        let error = #expect(throws: RunningProgram.EndedEarly.self) { try program.line() }
        #expect(error?.description == "/bin/sh exited early: status 9\nlast words\n")
    }

    @Test func `a program without output is killed after the timeout`() throws {
        let script = "echo ready; exec sleep 600"
        let program = try shell.start(["-c", script], patience: .milliseconds(200))
        try program.wait(for: "ready")
        let error = #expect(throws: RunningProgram.Silent.self) { try program.wait(for: "more") }
        #expect(error?.description == "no output from /bin/sh for 0.2 seconds\nready\n")
        let outcome = program.finish()
        #expect(outcome.isSignalled && outcome.status == Signal.kill.rawValue)
    }

    @Test func `standard error can be merged into the lines or appended to a file`() throws {
        let together = try shell.start(["-c", "echo oops >&2"], errors: .amongLines)
        #expect(try together.line() == "oops")
        let folder = try TemporaryDirectory()
        let file = folder.file("log")
        try Data("first\n".utf8).write(to: URL(filePath: file))
        try shell.start(["-c", "echo oops >&2"], errors: .file(file)).finish()
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "first\noops\n")
    }

    @Test func `a killed program is reported as signalled`() throws {
        let program = try shell.start(["-c", "echo ready; exec cat"], input: .lines)
        #expect(try program.line() == "ready")
        #expect(program.isRunning)
        let outcome = program.kill()
        #expect(outcome.isSignalled && outcome.status == Signal.kill.rawValue)
        #expect(outcome.lines == ["ready"])
        #expect(!program.isRunning)
    }

    @Test func `a program ends with its last reference`() throws {
        var reader: RunningProgram? = try shell.start(["-c", "echo $$; exec cat"], input: .lines)
        let reading = try #require(Int32(try reader?.line() ?? ""))
        reader = nil
        #expect(!Signal(0).send(to: reading))

        var sleeper: RunningProgram? = try shell.start(["-c", "echo $$; exec sleep 600"])
        let sleeping = try #require(Int32(try sleeper?.line() ?? ""))
        sleeper = nil
        #expect(!Signal(0).send(to: sleeping))
    }

    @Test func `the memory and descriptor limit of this process are available`() {
        #expect(OwnProcess.residentByteCount > 1 << 20)
        OwnProcess.raiseDescriptorLimit()
        #expect(OwnProcess.descriptorLimit > 100)
    }
}
