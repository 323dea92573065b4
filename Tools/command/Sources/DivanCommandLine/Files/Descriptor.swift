package import DivanPlatform

extension FileDescriptor {
    /// Writes all bytes, also to a stream that another program made non-blocking.
    package func writeWaiting(_ bytes: [UInt8]) throws(SystemError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            do {
                let count = try rest.span.withUnsafeBytes { bytes throws(SystemError) in
                    try write(bytes)
                }
                rest = rest.dropFirst(count)
            } catch {
                guard error.errno == .wouldBlock else { throw error }
                _ = try? wait(for: .writing)
            }
        }
    }

    /// Reads at most `byteCount` bytes, also from such a stream; none at the end.
    package func readWaiting(upTo byteCount: Int) throws(SystemError) -> [UInt8] {
        while true {
            do {
                return try read(upTo: byteCount)
            } catch {
                guard error.errno == .wouldBlock else { throw error }
                _ = try? wait(for: .reading)
            }
        }
    }
}

extension Failure {
    /// The failure of a file that cannot be read or opened, with the system's message.
    package static func file(_ path: String, _ code: Errno) -> Failure {
        let remedy =
            switch code {
            case .isDirectory: "use the path of a file"
            case .badFileDescriptor: "the stream is closed; use a file, or open the stream"
            default: "check the path and its permissions"
            }
        return Failure(
            kind: [.noSuchFileOrDirectory, .notDirectory].contains(code) ? .notFound : .failed,
            sentence: "\(path): \(code)",
            hint: remedy
        )
    }

    /// The failure of a file or stream that cannot be written, with the system's message.
    ///
    /// With `keeping`, the output has not replaced the existing file yet.
    package static func writing(
        _ path: String,
        _ code: Errno,
        keeping: Bool = false
    ) -> Failure {
        let remedy =
            switch code {
            case .noSpace, .diskQuotaExceeded, .fileTooLarge:
                keeping
                    ? "free some space; the existing file is unchanged"
                    : "free some space; the output is incomplete"
            case .badFileDescriptor: "the stream is closed; redirect it to a file or to /dev/null"
            case .isDirectory: "use the path of a file"
            default: "check the path and its permissions"
            }
        return Failure(
            kind: code == .noSuchFileOrDirectory ? .notFound : .database,
            sentence: "\(path): \(code)",
            hint: remedy
        )
    }

    /// Returns what a system call returns; its failure becomes that of a file that cannot be read or opened.
    package static func wrapping<T>(
        _ call: @autoclosure () throws(SystemError) -> T,
        at path: String
    ) throws(Failure) -> T {
        do {
            return try call()
        } catch {
            throw .file(path, error.errno)
        }
    }
}
