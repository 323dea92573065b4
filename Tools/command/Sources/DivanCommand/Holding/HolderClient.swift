import CDivanHolder
import DivanCommandLine
import DivanJSON
import DivanPlatform
import Foundation

/// A command on a database that another process has open: that process runs it.
struct HolderClient {
    private let socket: Socket
    private let name: String
    private var reader: HolderProtocol.Reader

    /// The exit code of the process that did the work.
    struct Done: Error {
        let status: Int32
    }

    /// Connects to the process that holds a database; `nil` if none listens.
    ///
    /// Our own commands take the lock before they listen, so this waits for them.
    static func find(_ path: DatabasePath) -> HolderClient? {
        let deadline = ContinuousClock.now + patience
        while true {
            if let holder = HolderClient(path) { return holder }
            guard HolderName.isCommand(path.bundle), ContinuousClock.now < deadline else {
                return nil
            }
            CurrentThread.sleep(milliseconds: 10)
        }
    }

    /// How long a command may take from the lock to its socket.
    private static let patience = Duration.seconds(3)

    private init?(_ path: DatabasePath) {
        guard let address = HolderAddress(path) else { return nil }
        defer { address.close() }
        guard let socket = address.connect() else { return nil }
        var reader = HolderProtocol.Reader(socket)
        // A holder that is ending sends nothing: the database is free, or will be.
        guard let greeting = reader.next() else {
            socket.close()
            return nil
        }
        self.socket = socket
        self.reader = reader
        let since = greeting["since"]?.string ?? "an unknown time"
        name =
            "\(greeting["holder"]?.string ?? "a program"), process "
            + "\(greeting["process"]?.int ?? 0), since \(since)"
    }

    /// Runs the words of a command line there, with this process's streams.
    ///
    /// - Throws: `Done` with the exit code, or `Failure` if that process refuses or ends.
    consuming func run(
        _ words: [String],
        input: FileDescriptor = .standardInput,
        output: FileDescriptor = .standardOutput
    ) throws {
        defer { socket.close() }
        let flags: FileDescriptor.OpenFlags = [.readOnly, .directory, .closeOnExec]
        let here = try Failure.wrapping(FileDescriptor.open(".", flags), at: ".")
        defer { here.close() }
        let request: JSON = [
            "version": JSON(HolderAddress.version), "words": .array(words.map { .string($0) }),
            "environment": .object(
                JSONObject(
                    try Environment.forHolder().map { (key: $0.key, value: .string($0.value)) }
                )
            ),
        ]
        guard request.canonicalText.utf8.count < HolderProtocol.lineLimit else {
            throw Failure.usage(
                "the command line is too long for \(name), which has the database open",
                hint: "use standard input"
            )
        }
        let interruption = Interruption()
        let files = [input, output, .standardError, here].map(\.rawValue)
        guard divan_holder_send_files(socket.descriptor.rawValue, files, files.count) == 0,
            HolderProtocol.send(request, to: socket)
        else { throw ended }
        interruption.onRequest { [socket] in _ = HolderProtocol.send(["stop": true], to: socket) }
        guard let answer = reader.next() else { throw ended }
        if let reason = answer["refused"]?.string {
            throw Failure(
                kind: .database,
                sentence: "\(name), which has the database open, refused the command: \(reason)",
                hint: "try again"
            )
        }
        throw Done(status: answer["exit"]?.int.flatMap { Int32(exactly: $0) } ?? 1)
    }

    private var ended: Failure {
        Failure(
            kind: .database,
            sentence: "\(name), which had the database open, ended before the command finished",
            hint: "check the database, and run the command again"
        )
    }

    /// Runs a command line there that reads `bytes` from its standard input.
    ///
    /// - Throws: `Failure` with `problem` if it failed; the reason is already reported.
    consuming func run(_ words: [String], typing bytes: [UInt8], or problem: String) throws {
        let (reading, writing) = try Failure.wrapping(FileDescriptor.pipe(), at: "a pipe")
        defer { reading.close() }
        Thread {
            try? writing.writeWaiting(bytes)
            writing.close()
        }.start()
        try run(words, input: reading, output: .standardOutput, or: problem)
    }

    /// Runs a command line there; returns its output, which is short.
    ///
    /// - Throws: `Failure` with `problem` if it failed; the reason is already reported.
    consuming func answer(to words: [String], or problem: String) throws -> [UInt8] {
        let (reading, writing) = try Failure.wrapping(FileDescriptor.pipe(), at: "a pipe")
        defer { reading.close() }
        do {
            defer { writing.close() }
            try run(words, input: .standardInput, output: writing, or: problem)
        }
        return try reading.readWaiting(upTo: 1 << 16)
    }

    private consuming func run(
        _ words: [String],
        input: FileDescriptor,
        output: FileDescriptor,
        or problem: String
    ) throws {
        do {
            try run(words, input: input, output: output)
        } catch let done as Done {
            guard done.status != 0 else { return }
            throw Failure(kind: Failure.Kind(rawValue: done.status) ?? .failed, sentence: problem)
        }
    }
}
