package import DivanPlatform
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
        Signal.brokenPipe.ignore()
        Signal.fileTooLarge.ignore()
        let streams: [(FileDescriptor, FileDescriptor.OpenFlags)] = [
            (.standardInput, .writeOnly), (.standardOutput, .readOnly),
            (.standardError, .writeOnly),
        ]
        // In ascending order: `open` returns the lowest free number.
        for (stream, flags) in streams where !stream.isValid {
            _ = try? FileDescriptor.open("/dev/null", flags)
        }
    }
}

/// Standard output: results are written by complete lines from any thread, until a write fails.
package final class ResultStream: Sendable {
    /// The output has ended; the error is recorded, and reported later.
    package struct Ended: Error {}

    private let failure = Mutex<Errno?>(nil)
    private let descriptor: FileDescriptor

    /// Begins to write to a descriptor.
    package init(_ descriptor: FileDescriptor) {
        self.descriptor = descriptor
    }

    /// The error of the write that failed.
    package var problem: Errno? { failure.withLock { $0 } }

    /// Writes bytes, unless a write has failed before.
    package func write(_ bytes: [UInt8]) {
        failure.withLock { failure in
            guard failure == nil else { return }
            do throws(SystemError) {
                try descriptor.writeWaiting(bytes)
            } catch {
                failure = error.errno
            }
        }
    }

    /// Ends a command whose output is no longer read.
    ///
    /// The reader of a pipe may have exited before any write failed.
    package func requireOpen() throws(Ended) {
        let events = (try? descriptor.wait(for: [], milliseconds: 0)) ?? []
        if !events.isDisjoint(with: .closed) { failure.withLock { $0 = $0 ?? .brokenPipe } }
        if problem != nil { throw Ended() }
    }
}
