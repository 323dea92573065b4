import DivanPlatform

/// Reads the key from the output of a command, such as a password manager: `pass show divan`.
///
/// The command is run by the shell, and inherits standard input and error, so that it can prompt.
public struct CommandKey: KeySource {
    private let command: String
    private let form: KeyForm
    private let milliseconds: Int

    /// Creates a source for a command, which must end within `milliseconds`, at least 1.
    public init(
        _ command: String,
        form: KeyForm = .key,
        milliseconds: Int = SealLimits.commandMilliseconds
    ) {
        self.command = command
        self.form = form
        self.milliseconds = max(milliseconds, 1)
    }

    private static let name = "the command"

    /// Runs the command.
    ///
    /// - Throws: `source` if it fails, exceeds the time or prints no key.
    public func key() throws(SealError) -> SealKey {
        let (process, reading) = try spawned()
        defer { reading.close() }
        let patience = ReadTimeout(milliseconds: milliseconds)
        var output = Self.output(of: reading, patience)
        var status: ChildProcess.Status?
        // It may have closed its output and still run.
        if output == nil || !Self.ends(process, patience, &status) {
            output?.wipe()
            output = nil
            Signal.kill.send(to: process.id)
            process.wait()
        }
        guard var given = output else {
            throw .source(
                Self.name,
                detail: "ran longer than \(milliseconds) ms or printed too much; check the command"
            )
        }
        if let status, !status.isSuccess {
            given.wipe()
            throw .source(
                Self.name,
                detail: "\(status.explanation); check the command"
            )
        }
        return try form.key(from: &given, of: Self.name)
    }

    /// Whether a process ends in time.
    private static func ends(
        _ process: ChildProcess,
        _ patience: ReadTimeout,
        _ status: inout ChildProcess.Status?
    ) -> Bool {
        var pause = 1
        while true {
            let (isRunning, found) = process.poll()
            status = found
            if !isRunning { return true }
            if patience.isOver { return false }
            CurrentThread.sleep(milliseconds: pause)
            pause = min(2 * pause, 50)
        }
    }

    /// Starts it; returns the end of the pipe that it writes to.
    private func spawned() throws(SealError) -> (ChildProcess, FileDescriptor) {
        do throws(SystemError) {
            let (reading, writing) = try FileDescriptor.pipe()
            defer { writing.close() }
            do throws(SystemError) {
                let process = try ChildProcess.spawn(
                    "/bin/sh",
                    ["/bin/sh", "-c", command],
                    descriptors: [(writing, as: .standardOutput)],
                    // This process may ignore the signal; a command before a pipe depends on it.
                    signals: .inherited(except: [.brokenPipe])
                )
                return (process, reading)
            } catch {
                reading.close()
                throw error
            }
        } catch {
            throw .source(Self.name, detail: "\(error.errno); try again")
        }
    }

    /// The whole output; `nil` if its end does not come in time, or it is too long.
    private static func output(
        of descriptor: FileDescriptor,
        _ patience: ReadTimeout
    ) -> [UInt8]? {
        var given: [UInt8] = []
        given.reserveCapacity(SealLimits.sourceByteCount + 1)
        while given.count <= SealLimits.sourceByteCount, patience.waits(for: descriptor) {
            guard var piece = try? descriptor.read(upTo: 1) else { break }
            if piece.isEmpty { return given }
            given += piece
            piece.wipe()
        }
        given.wipe()
        return nil
    }
}
