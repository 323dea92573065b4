import DivanPlatform
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
    private let process: ChildProcess
    private let output: FileHandle
    private let life: Socket  // this end of the socket; closing it ends the daemon

    init(_ words: [String], _ environment: [String: String]) throws {
        path = words.first ?? ""
        let (said, writing) = try Socket.pair()
        output = FileHandle(fileDescriptor: said.descriptor.rawValue, closeOnDealloc: true)
        defer { writing.close() }
        let reading: Socket
        (life, reading) = try Socket.pair()
        defer { reading.close() }
        let all = ["/bin/sh", "-c", Self.watch, "watch"] + words
        process = try ChildProcess.spawn(
            all[0],
            all,
            environment: environment,
            // Closed on exec, so that no other program keeps one of the ends open.
            descriptors: [
                (reading.descriptor, as: .standardInput), (writing.descriptor, as: .standardOutput),
                (writing.descriptor, as: .standardError),
            ],
            signals: .defaults
        )
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
        life.close()
        process.wait()
    }
}

extension FileHandle {
    /// Waits for something to read; empty at the end, or if nothing more can be read.
    fileprivate func nextPiece() -> Data {
        Data((try? FileDescriptor(fileDescriptor).read(upTo: 1 << 16)) ?? [])
    }
}
