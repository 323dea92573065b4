import Glibc

/// Reads from and writes to open files, despite interruptions.
package enum Descriptor {
    /// An error of the system, by its number.
    package struct Refusal: Error, Equatable {
        /// The errno.
        package let number: Int32
    }

    /// Writes all bytes.
    package static func write(_ bytes: [UInt8], to descriptor: Int32) throws(Refusal) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                try wait(for: POLLOUT, on: descriptor, after: errno)
            } else {
                rest = rest.dropFirst(count)
            }
        }
    }

    /// Reads at most `byteCount` bytes; none at the end.
    package static func read(upTo byteCount: Int, from descriptor: Int32) throws(Refusal) -> [UInt8]
    {
        var bytes = [UInt8](repeating: 0, count: byteCount)
        while true {
            let count = bytes.withUnsafeMutableBytes {
                Glibc.read(descriptor, $0.baseAddress, $0.count)
            }
            guard count < 0 else {
                bytes.removeSubrange(count...)
                return bytes
            }
            try wait(for: POLLIN, on: descriptor, after: errno)
        }
    }

    /// Waits if retrying helps: after a signal, or on a stream that another program made
    /// non-blocking.
    private static func wait(
        for event: Int32,
        on descriptor: Int32,
        after number: Int32
    ) throws(Refusal) {
        if number == EINTR { return }
        guard number == EAGAIN else { throw Refusal(number: number) }
        var polled = pollfd(fd: descriptor, events: Int16(event), revents: 0)
        poll(&polled, 1, -1)
    }
}

extension Failure {
    /// The failure of a file that cannot be read or opened, with the system's message.
    package static func file(_ path: String, _ code: Int32) -> Failure {
        let remedy =
            switch code {
            case EISDIR: "use the path of a file"
            case EBADF: "the stream is closed; use a file, or open the stream"
            default: "check the path and its permissions"
            }
        return Failure(
            kind: code == ENOENT ? .notFound : .failed,
            sentence: "\(path): \(String(cString: strerror(code)))",
            hint: remedy
        )
    }

    /// The failure of a file or stream that cannot be written, with the system's message.
    ///
    /// With `keeping`, the output has not replaced the existing file yet.
    package static func writing(
        _ path: String,
        _ code: Int32,
        keeping: Bool = false
    ) -> Failure {
        let remedy =
            switch code {
            case ENOSPC, EDQUOT, EFBIG:
                keeping
                    ? "free some space; the existing file is unchanged"
                    : "free some space; the output is incomplete"
            case EBADF: "the stream is closed; redirect it to a file or to /dev/null"
            case EISDIR: "use the path of a file"
            default: "check the path and its permissions"
            }
        return Failure(
            kind: code == ENOENT ? .notFound : .database,
            sentence: "\(path): \(String(cString: strerror(code)))",
            hint: remedy
        )
    }
}
