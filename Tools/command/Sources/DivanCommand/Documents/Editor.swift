import DivanCommandLine
import DivanExchange
import DivanJSON
import DivanPlatform

/// The user's editor, and the file that it edits.
struct Editor {
    /// Where the text is, even after a failure that would lose what was typed.
    let file: String
    private let before: [UInt8]
    private let directory: String
    /// The editor, and its options.
    private let program: String

    /// Writes `text` into a new file that only this user can read.
    ///
    /// - Throws: `Failure` if the file cannot be created, or this user has no editor.
    init(_ text: String, named name: String) throws(Failure) {
        program = try Self.program()
        before = Array(text.utf8)
        let parent = CurrentProcess.variable("TMPDIR") ?? "/tmp"
        do {
            // A new directory, so it cannot contain a link of another user.
            directory = try FileSystem.makeTemporaryDirectory(in: parent, prefix: "divan-edit-")
        } catch {
            throw Self.failure(parent, error)
        }
        file = "\(directory)/\(Self.safe(name)).json"
        let descriptor: FileDescriptor
        do {
            descriptor = try FileDescriptor.open(
                file,
                [.writeOnly, .create, .exclusive, .closeOnExec],
                permissions: 0o600
            )
        } catch {
            throw Self.failure(file, error)
        }
        defer { descriptor.close() }
        do {
            try descriptor.writeWaiting(before)
        } catch {
            throw .writing(file, error.errno)
        }
    }

    /// Opens the editor and waits until it ends; its output is not part of our results.
    ///
    /// - Throws: `Failure` when it cannot be started or ends with an error.
    func run() throws(Failure) {
        // Run through a shell: EDITOR may contain options. `system` leaves Ctrl-C to the editor,
        // which finds its signals as under a shell.
        Signal.brokenPipe.restoreDefault()
        defer { Signal.brokenPipe.ignore() }
        let line = "\(program) \(file.quotedForShell)"
        let isTerminal = FileDescriptor.standardOutput.isTerminal
        let status = runShell(isTerminal ? line : "{ \(line)\n} >&2")
        guard status.isSuccess else {
            let signal = Signal(status.signal)
            throw Failure(
                kind: signal == .interrupt || signal == .terminate ? .interrupted : .failed,
                sentence: "the editor (\(program)) \(status.explanation); "
                    + "nothing was saved" + (discardUnchanged() ? "" : "; your text is in \(file)")
            )
        }
    }

    /// Removes the file if it is unchanged; returns whether it was.
    private func discardUnchanged() -> Bool {
        guard let now = try? text(), now == before else { return false }
        discard()
        return true
    }

    /// The editor from the environment, which may have its own window; else vi, which needs a terminal.
    private static func program() throws(Failure) -> String {
        let names = ["VISUAL", "EDITOR"].lazy.compactMap { (name: String) -> String? in
            CurrentProcess.variable(name)
        }
        if let named = names.first(where: { !$0.isEmpty }) { return named }
        guard FileDescriptor.standardInput.isTerminal, FileDescriptor.standardOutput.isTerminal
        else {
            throw Failure(
                kind: .usage,
                sentence: "vi requires a terminal",
                hint: "set EDITOR to an editor that needs no terminal, or use 'divan get' and "
                    + "'divan put'"
            )
        }
        return "vi"
    }

    /// The text as it is in the file now.
    func text() throws -> [UInt8] {
        try ByteLines(InputFile(file).source).rest()
    }

    /// The text as the members of a document.
    ///
    /// - Throws: `Failure` or `StoreError` if no document can hold it.
    func object() throws -> JSONObject {
        try Self.object(in: try text())
    }

    /// A text as the members of a document.
    ///
    /// - Throws: `Failure` or `StoreError` if no document can hold it.
    static func object(in text: [UInt8]) throws -> JSONObject {
        let value: JSON
        do {
            let json = text.withoutByteOrderMark
            value = try JSON(parsing: json, limits: JSONLimits(byteCount: json.count))
        } catch {
            throw Failure(kind: .invalid, text: "invalid text: \(error)")
        }
        guard let object = value.object else {
            throw Failure(kind: .invalid, text: "the text is not a JSON object; write {\"key\": 1}")
        }
        try StoreRules.check(JSONMembers(object))
        return object
    }

    /// Does something with the text; on failure, the error names the file that keeps what was typed.
    func keepingText<Output>(_ work: (Editor) throws -> Output) throws -> Output {
        do {
            return try work(self)
        } catch {
            var failure = Failure(explaining: error)
            if !discardUnchanged() { failure.sentence += "; your text is in \(file)" }
            throw failure
        }
    }

    /// Removes the file; the text is saved elsewhere.
    func discard() {
        try? FileSystem.removeFile(file)
        try? FileSystem.removeDirectory(directory)
    }

    /// A file name that tells which document it is.
    private static func safe(_ name: String) -> String {
        let letters = name.prefix(60).map { letter in
            letter.isASCII && (letter.isLetter || letter.isNumber || letter == "-") ? letter : "_"
        }
        return String(letters)
    }

    private static func failure(_ path: String, _ error: SystemError) -> Failure {
        Failure(
            kind: .failed,
            sentence: "\(path): \(error.errno)",
            hint: "set TMPDIR to a writable directory"
        )
    }
}
