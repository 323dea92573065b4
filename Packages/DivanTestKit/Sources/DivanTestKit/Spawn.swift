public import Glibc

/// The system could not start a program.
public struct SpawnFailure: Error, CustomStringConvertible {
    let path: String
    let code: Int32

    /// The program, and the system's error.
    public var description: String { "\(path): \(String(cString: strerror(code)))" }
}

/// Starts a program with `posix_spawn`, for cases that `Program` does not support: streams that are terminals, and
/// daemons, which close the descriptors that `Foundation.Process` uses.
///
/// The program blocks and ignores no signals, and its environment contains only the given variables.
///
/// - Parameters:
///   - words: The program's path and its arguments.
///   - environment: Its whole environment.
///   - beginsSession: Whether the first terminal that it opens becomes its controlling terminal.
///   - arrange: Sets the destinations of its streams.
/// - Returns: Its process identifier; call `waitpid` with it.
/// - Throws: `SpawnFailure`.
public func spawn(
    _ words: [String],
    environment: [String: String],
    beginsSession: Bool = false,
    arrange: (inout posix_spawn_file_actions_t) -> Void
) throws -> pid_t {
    var attributes = posix_spawnattr_t()
    var actions = posix_spawn_file_actions_t()
    var (none, all) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_init(&attributes)
    posix_spawn_file_actions_init(&actions)
    defer {
        posix_spawnattr_destroy(&attributes)
        posix_spawn_file_actions_destroy(&actions)
    }
    // POSIX_SPAWN_SETSID, which spawn.h hides from Swift.
    let session: Int32 = beginsSession ? 0x80 : 0
    let flags = session | Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF)
    posix_spawnattr_setflags(&attributes, Int16(flags))
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    arrange(&actions)
    // The copies are valid until the end of the call, which reads them.
    var arguments = words.map { strdup($0) } + [nil]
    var variables = environment.map { strdup("\($0)=\($1)") } + [nil]
    defer { for text in arguments + variables { free(text) } }
    var identifier = pid_t()
    let path = words.first ?? ""
    let code = posix_spawn(&identifier, path, &actions, &attributes, &arguments, &variables)
    guard code == 0 else { throw SpawnFailure(path: path, code: code) }
    return identifier
}
