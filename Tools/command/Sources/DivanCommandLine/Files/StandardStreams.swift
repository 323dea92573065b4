import Glibc
import Synchronization

/// The three standard streams.
package enum StandardStreams {
    /// Standard input's name in messages.
    package static let input = "standard input"
    /// Standard output's name in messages.
    package static let output = "standard output"

    /// Opens replacements for streams that were closed, which cannot be read or written
    /// either: otherwise the next opened file would get their number, and the results.
    ///
    /// From here on, a closed reader is an error of the write, not the end of the program; so is a file
    /// that grows beyond the limit of the process (`ulimit -f`).
    package static func settle() {
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
        let streams = [
            (STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_WRONLY),
        ]
        // In ascending order: `open` returns the lowest free number.
        for (number, flags) in streams where fcntl(number, F_GETFD) < 0 {
            _ = open("/dev/null", flags)
        }
    }
}

/// Standard output: results are written by complete lines from any thread, until a write fails.
package final class ResultStream: Sendable {
    /// The output has ended; the error is recorded, and reported later.
    package struct Ended: Error {}

    private let failure = Mutex<Int32?>(nil)
    private let descriptor: Int32

    /// Begins to write to a descriptor.
    package init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// The errno of the write that failed.
    package var problem: Int32? { failure.withLock { $0 } }

    /// Writes bytes, unless a write has failed before.
    package func write(_ bytes: [UInt8]) {
        failure.withLock { failure in
            guard failure == nil else { return }
            do throws(Descriptor.Refusal) {
                try Descriptor.write(bytes, to: descriptor)
            } catch {
                failure = error.number
            }
        }
    }

    /// Ends a command whose output is no longer read.
    ///
    /// The reader of a pipe may have exited before any write failed.
    package func requireOpen() throws(Ended) {
        var polled = pollfd(fd: descriptor, events: 0, revents: 0)
        if poll(&polled, 1, 0) > 0, polled.revents & Int16(POLLERR | POLLHUP) != 0 {
            failure.withLock { $0 = $0 ?? EPIPE }
        }
        if problem != nil { throw Ended() }
    }
}
