import Foundation

/// A daemon that reports on its output when it is ready.
///
/// It ends with this process, however that ends: a shell next to it waits for the end of a socket that only this
/// process holds open.
final class Daemon {
    /// The daemon ended before its expected output, or another one runs in its place.
    struct NotReady: Error, CustomStringConvertible {
        let description: String
    }

    private static let watch = """
        "$@" </dev/null & daemon=$!
        exec >/dev/null 2>&1
        read -r end
        kill "$daemon"
        wait "$daemon"
        """

    private let path: String
    private let identifier: pid_t
    private let output: FileHandle
    private let life: Int32  // this end of the socket; closing it ends the daemon

    init(_ words: [String], _ environment: [String: String]) throws {
        path = words.first ?? ""
        let (said, writing) = try Self.connection()
        output = FileHandle(fileDescriptor: said, closeOnDealloc: true)
        defer { close(writing) }
        let reading: Int32
        (life, reading) = try Self.connection()
        defer { close(reading) }
        let all = ["/bin/sh", "-c", Self.watch, "watch"] + words
        identifier = try spawn(all, environment: environment) { actions in
            for (end, stream) in [(reading, 0), (writing, 1), (writing, 2)] as [(Int32, Int32)] {
                posix_spawn_file_actions_adddup2(&actions, end, stream)
            }
        }
    }

    /// Two ends, closed on exec, so that no other program keeps one of them open.
    private static func connection() throws -> (Int32, Int32) {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            throw NotReady(description: "no socket: \(String(cString: strerror(errno)))")
        }
        return (ends[0], ends[1])
    }

    /// Reads the daemon's output until a line with one of the texts appears.
    ///
    /// - Throws: `NotReady` if it ends before.
    @discardableResult
    func wait(for texts: [String]) throws -> String {
        var said = ""
        while !said.hasSuffix("\n") || !texts.contains(where: said.contains) {
            let bytes = output.nextPiece()
            guard !bytes.isEmpty else { throw NotReady(description: "\(path) exited: \(said)") }
            said += String(decoding: bytes, as: UTF8.self)
        }
        // Later output, which nobody reads, must not fill the pipe.
        output.readabilityHandler = { _ = $0.nextPiece() }
        return said
    }

    /// Ends it properly, and waits for the end.
    func stop() {
        output.readabilityHandler = nil
        close(life)
        var status: Int32 = 0
        waitpid(identifier, &status, 0)
    }
}
