import DivanCommandLine
import DivanJSON
import DivanPlatform
import DivanRevisions

/// Writes documents as JSON: lines or one array in a file, or one file each in a directory.
///
/// A quarter of a megabyte is buffered at a time.
struct DocumentLines {
    /// How documents are arranged in the output.
    enum Form: Equatable {
        case lines
        case array
        /// One file for each, in this directory.
        case files(in: String)
    }

    /// Where the text goes.
    private enum Target {
        case results(Terminal)
        case file(OutputFile)
        /// A separate file for each document.
        case directory
    }

    /// Returns the blob with a digest, `nil` for a text that is not a digest.
    ///
    /// Throws `ContentTooLong` if it has more bytes than the second argument allows.
    typealias Contents = (_ digest: String, _ limit: Int) throws -> [UInt8]?

    private static let bufferByteCount = 1 << 18

    private let form: Form
    private let target: Target
    private let contents: Contents?
    private var pending: [UInt8] = []
    private var fileNames = FileNames()

    /// Documents written.
    private(set) var count = 0
    /// Blobs that they refer to and that were to be left out.
    private var leftOut: Set<ExactText> = []

    /// How many blobs that they refer to are not included.
    var leftOutCount: Int { leftOut.count }

    /// Bytes of their texts.
    private(set) var byteCount: UInt64 = 0

    /// Opens a file, standard output for `-` and `nil`, or prepares to fill an existing directory.
    ///
    /// `contents` returns the content of blobs; if it is `nil`, they are left out.
    init(
        to file: String?,
        asArray: Bool = false,
        embedding contents: Contents?,
        _ terminal: Terminal
    ) throws(Failure) {
        self.contents = contents
        guard let file, file != "-" else {
            form = asArray ? .array : .lines
            target = .results(terminal)
            return
        }
        if InputFile.isDirectory(file) {
            form = .files(in: file)
            target = .directory
            return
        }
        form = asArray ? .array : .lines
        target = .file(try OutputFile(file))
    }

    /// Writes a document with its ID and further members.
    mutating func add(
        _ id: String,
        _ stored: [UInt8]?,
        _ members: JSONObject = [:]
    ) throws {
        try Interruption.check()
        var body = try JSONMembers(storedBody: stored ?? [])
        if contents == nil { leftOut.formUnion(try InlineBlobs.digests(in: body)) }
        EscapedProperties.setApart(in: &body)
        for (key, value) in members { body[key] = value }
        body["_id"] = .string(id)
        let bytes =
            if let contents {
                try Self.embedding(contents, in: body, of: id)
            } else {
                try body.canonicalBytes()
            }
        guard bytes.count < DocumentText.longest else { throw Self.tooLong(id) }
        switch form {
        case .lines:
            try append(bytes)
            pending.append(UInt8(ascii: "\n"))
        case .array:
            pending += (count == 0 ? "[\n" : ",\n").utf8
            try append(bytes)
        case .files(let directory):
            // Synced together at the end: one sync per file would take a hundred times as long.
            let file = directory + "/" + fileNames.add(DocumentID(unchecked: id))
            let rules = OutputFile.Rules(isSynced: false, isOneOfMany: true)
            do throws(Failure) {
                let output = try OutputFile(file, rules)
                try output.write(bytes)
                try output.write([UInt8(ascii: "\n")])
                try output.finish()
            } catch {
                var failure = error
                failure.sentence += "; exported \(Numbers.count(count, "document")) before it"
                throw failure
            }
        }
        count += 1
        byteCount += UInt64(bytes.count)
        if pending.count > Self.bufferByteCount { try flush() }
    }

    /// Embeds the blobs in a body, unless its text would become too long.
    private static func embedding(
        _ contents: Contents,
        in body: JSONMembers,
        of id: String
    ) throws -> [UInt8] {
        var room = DocumentText.longest
        do {
            return try InlineBlobs.embed(body) { digest in
                // Three bytes are four characters of base64.
                guard let content = try contents(digest, room / 4 * 3) else { return nil }
                room -= (content.count + 2) / 3 * 4
                return content
            }
        } catch is ContentTooLong {
            throw tooLong(id)
        }
    }

    /// `divan import` would reject it.
    private static func tooLong(_ id: String) -> Failure {
        Failure(
            kind: .invalid,
            sentence: "\(id.escapingControlCharacters()): larger than 64 MiB as text, the limit of "
                + "'divan import'",
            hint: "use 'divan dump', which has no limit"
        )
    }

    /// Writes the rest, and the end.
    mutating func finish() throws {
        if form == .array { pending += Array((count == 0 ? "[]\n" : "\n]\n").utf8) }
        try flush()
        switch target {
        case .results: break
        case .file(let file): try file.finish()
        case .directory: if case .files(let directory) = form { try Self.sync(directory) }
        }
    }

    /// Adds a text; a long one is not copied.
    private mutating func append(_ bytes: [UInt8]) throws {
        guard bytes.count > Self.bufferByteCount else {
            pending += bytes
            return
        }
        try flush()
        try write(bytes)
    }

    private mutating func flush() throws {
        try write(pending)
        pending.removeAll(keepingCapacity: true)
    }

    private func write(_ bytes: [UInt8]) throws {
        switch target {
        case .results(let terminal):
            terminal.result(json: bytes)
            try terminal.requireOutput()
        case .file(let file): try file.write(bytes)
        case .directory: break
        }
    }

    /// Syncs the files of a directory to the disk.
    private static func sync(_ directory: String) throws(Failure) {
        do {
            let flags: FileDescriptor.OpenFlags = [.readOnly, .directory, .closeOnExec]
            let descriptor = try FileDescriptor.open(directory, flags)
            defer { descriptor.close() }
            FileSystem.syncAll()
            try descriptor.sync()
        } catch {
            throw .writing(directory, error.errno)
        }
    }
}
