import DivanPlatform
import Synchronization
import Testing

/// Processes, signals, threads and clocks.
@Suite(.serialized) struct ProcessTests {
    private func output(
        of script: String,
        environment: [String: String]? = nil,
        directory: String? = nil
    ) throws -> (text: String, status: ChildProcess.Status?) {
        let (reading, writing) = try FileDescriptor.pipe()
        defer { reading.close() }
        let child = try ChildProcess.spawn(
            "/bin/sh",
            ["sh", "-c", script],
            environment: environment,
            directory: directory,
            descriptors: [(writing, as: .standardOutput)],
            signals: .defaults
        )
        writing.close()
        let bytes = try reading.readAll() ?? []
        return (String(decoding: bytes, as: UTF8.self), child.wait())
    }

    @Test func `a child process has an output and an exit status`() throws {
        let (text, status) = try output(of: "echo hello; exit 3")
        #expect(text == "hello\n" && status?.exitStatus == 3 && status?.isSuccess == false)
        #expect(try output(of: "true").status?.isSuccess == true)
        #expect(try output(of: "kill -9 $$").status?.signal == Signal.kill.rawValue)
        #expect(try output(of: "kill -9 $$").status?.explanation == "was killed by signal 9")
        #expect(status?.explanation == "exited with status 3")
        #expect(try output(of: "echo $A", environment: ["A": "b"]).text == "b\n")
        #expect(try output(of: "pwd", directory: "/usr").text == "/usr\n")
    }

    @Test func `a program that does not exist cannot be started`() {
        #expect(throws: SystemError("posix_spawn", .noSuchFileOrDirectory)) {
            _ = try ChildProcess.spawn("/no/such/program", ["program"])
        }
    }

    @Test func `a running child process can be polled and ended by a signal`() throws {
        let (reading, writing) = try FileDescriptor.pipe()
        defer { reading.close() }
        let child = try ChildProcess.spawn(
            "/bin/cat",
            ["cat"],
            descriptors: [(reading, as: .standardInput)],
            // The threads of tests block signals.
            signals: .defaults
        )
        #expect(child.poll().isRunning)
        #expect(Signal.terminate.send(to: child.id))
        #expect(child.wait()?.signal == Signal.terminate.rawValue)
        #expect(child.wait() == nil, "there is no such child any more")
        writing.close()
    }

    @Test func `a signal's action is changed and restored`() throws {
        let signal = Signal(12)  // SIGUSR2
        let usual = try #require(signal.action)
        #expect(usual.isDefault && !usual.isOnce)
        signal.setAction(usual.handledOnce { _ in })
        #expect(signal.action?.isOnce == true && signal.action?.isDefault == false)
        signal.ignore()
        #expect(signal.send(to: CurrentProcess.id))
        signal.restoreDefault()
        #expect(signal.action?.isDefault == true)
    }

    @Test func `environment variables are set, read and removed`() {
        CurrentProcess.setVariable("DIVAN_PLATFORM_TEST", "öl")
        #expect(CurrentProcess.variable("DIVAN_PLATFORM_TEST") == "öl")
        #expect(CurrentProcess.bytes(ofVariable: "DIVAN_PLATFORM_TEST") == Array("öl".utf8))
        CurrentProcess.setVariable("DIVAN_PLATFORM_TEST", nil)
        #expect(CurrentProcess.variable("DIVAN_PLATFORM_TEST") == nil)
    }

    @Test func `a shell command reads its input from a pipe`() throws {
        let home = try TemporaryDirectory()
        // Not `#require`, which cannot return what is not copyable.
        guard var pipe = ShellPipe("cat > \(home.file("a")); exit 5") else {
            Issue.record("the shell cannot be started")
            return
        }
        try pipe.descriptor.writeAll(Array("lines".utf8))
        #expect(pipe.finish().exitStatus == 5)
        let file = try FileDescriptor.open(home.file("a"), .readOnly)
        defer { file.close() }
        #expect(try file.readAll() == Array("lines".utf8))
        #expect(runShell("exit 4").exitStatus == 4)
    }

    @Test func `user names, limits and properties of the machine are reported`() throws {
        let name = try output(of: "id -un").text
        #expect(CurrentProcess.name(ofUser: CurrentProcess.effectiveUser).map { $0 + "\n" } == name)
        #expect(CurrentProcess.name(ofUser: 4_000_000_000) == nil)
        let limit = try #require(CurrentProcess.descriptorLimit)
        #expect(limit.current > 0 && limit.current <= limit.maximum)
        #expect(CurrentProcess.processorCount >= 1 && CurrentProcess.pageByteCount >= 4096)
        #expect(CurrentProcess.usage().peakByteCount > 0)
        #expect(hostName() != nil)
    }

    @Test func `clocks never go back, and calendar times are Gregorian`() {
        let begin = MonotonicClock.now()
        #expect(MonotonicClock.now() >= begin && MonotonicClock.coarse() > 0)
        #expect(ProcessorClock.thread() > 0 && ProcessorClock.process() > 0)
        #expect(abs(WallClock.seconds() - WallClock.milliseconds() / 1000) <= 1)
        let moment = CalendarTime(secondsSince1970: 784_111_777)
        #expect((moment.year, moment.month, moment.day) == (1994, 11, 6))
        #expect((moment.hour, moment.minute, moment.second, moment.weekday) == (8, 49, 37, 0))
    }

    @Test func `a recursive lock can be acquired again by its thread, while other threads wait`()
        throws
    {
        let lock = RecursiveLock()
        let count = Mutex(0)
        let thread = lock.withLock {
            lock.withLock { #expect(lock.isHeldHere) }
            let thread = JoinedThread {
                lock.withLock { count.withLock { $0 += 1 } }
            }
            #expect(count.withLock { $0 } == 0)
            return thread
        }
        #expect(!lock.isHeldHere)
        try #require(thread).join()
        #expect(count.withLock { $0 } == 1)
    }

    @Test func `a byte is found in memory, and memory is compared`() {
        let bytes: [UInt8] = [1, 2, 3, 2]
        bytes.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return }
            #expect(Memory.position(of: 2, in: start, count: 4) == 1)
            #expect(Memory.position(of: 2, in: start, count: 1) == nil)
            #expect(Memory.areEqual(start + 1, start + 3, count: 1))
            #expect(!Memory.areEqual(start, start + 1, count: 2))
        }
        Memory.giveBack()
    }

    @Test func `the memory of a freed long block is returned at once`() throws {
        Memory.giveBackLongBlocks()
        // Otherwise, the C library keeps the second one.
        for _ in 0..<2 {
            var bytes = [UInt8](repeating: 1, count: 8 << 20)
            let before = try Self.residentPageCount()
            bytes = []
            #expect(try bytes.isEmpty && before - Self.residentPageCount() > 1_024)
        }
    }

    /// Pages of this process that are in memory, of at least 4 KiB.
    private static func residentPageCount() throws -> Int {
        let file = try FileDescriptor.open("/proc/self/statm", [.closeOnExec])
        defer { file.close() }
        let text = String(decoding: try file.read(upTo: 256), as: UTF8.self)
        return try #require(text.split(separator: " ").dropFirst().first.flatMap { Int($0) })
    }

    @Test func `a pipe is not a terminal`() throws {
        let (reading, writing) = try FileDescriptor.pipe()
        defer { reading.close() }
        defer { writing.close() }
        #expect(TerminalSettings(of: reading) == nil && reading.terminalSize == (0, 0))
    }
}
