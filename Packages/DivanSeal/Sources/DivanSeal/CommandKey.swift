internal import CDivanSeal
internal import Glibc

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
        var ends: [Int32] = [0, 0]
        guard divan_pipe(&ends) == 0 else { throw Self.failure(errno) }
        defer { close(ends[0]) }
        let process: pid_t
        do throws(SealError) {
            process = try spawned(writingTo: ends[1])
            close(ends[1])
        } catch {
            close(ends[1])
            throw error
        }
        let patience = ReadTimeout(milliseconds: milliseconds)
        var output = Self.output(of: ends[0], patience)
        var status: Int32 = 0
        // It may have closed its output and still run.
        if output == nil || !Self.ends(process, patience, &status) {
            output?.wipe()
            output = nil
            kill(process, SIGKILL)
            while waitpid(process, &status, 0) < 0, errno == EINTR {}
        }
        guard var given = output else {
            throw .source(
                Self.name,
                detail: "ran longer than \(milliseconds) ms or printed too much; check the command"
            )
        }
        guard status == 0 else {
            given.wipe()
            throw .source(
                Self.name,
                detail: "failed (status \(status >> 8 & 0xFF)); check the command"
            )
        }
        return try form.key(from: &given, of: Self.name)
    }

    /// Whether a process ends in time.
    private static func ends(
        _ process: pid_t,
        _ patience: ReadTimeout,
        _ status: inout Int32
    ) -> Bool {
        var pause: Int32 = 1
        while waitpid(process, &status, WNOHANG) == 0 {
            if patience.isOver { return false }
            poll(nil, 0, pause)
            pause = min(2 * pause, 50)
        }
        return true
    }

    private static func failure(_ number: Int32) -> SealError {
        .source(name, detail: "\(String(cString: strerror(number))); try again")
    }

    private func spawned(writingTo output: Int32) throws(SealError) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // This process may ignore the signal; a command before a pipe depends on it.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
        let words: [String] = ["/bin/sh", "-c", command]
        let arguments = words.map { strdup($0) }
        defer { for argument in arguments { free(argument) } }
        var process = pid_t()
        let number = posix_spawn(
            &process,
            "/bin/sh",
            &actions,
            &attributes,
            arguments + [nil],
            environ
        )
        guard number == 0 else { throw Self.failure(number) }
        return process
    }

    /// The whole output; `nil` if its end does not come in time, or it is too long.
    private static func output(
        of descriptor: Int32,
        _ patience: ReadTimeout
    ) -> [UInt8]? {
        var given: [UInt8] = []
        given.reserveCapacity(SealLimits.sourceByteCount + 1)
        while given.count <= SealLimits.sourceByteCount, patience.waits(for: descriptor) {
            var byte: UInt8 = 0
            let count = read(descriptor, &byte, 1)
            if count == 0 { return given }
            if count < 0, errno != EINTR { break }
            if count > 0 { given.append(byte) }
        }
        given.wipe()
        return nil
    }
}
