import DivanCommandLine
import DivanJSON
import Glibc

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
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        // Created by mkdtemp, so it cannot contain a link of another user.
        var template = Array("\(parent)/divan-edit-XXXXXX".utf8CString)
        // The buffer is writable and ends with a zero, as mkdtemp requires.
        let made = template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.flatMap(mkdtemp).map { String(cString: $0) }
        }
        guard let made else { throw Self.failure(parent) }
        directory = made
        file = "\(made)/\(Self.safe(name)).json"
        guard let descriptor = Self.create(file) else { throw Self.failure(file) }
        defer { close(descriptor) }
        do {
            try Descriptor.write(before, to: descriptor)
        } catch {
            throw .writing(file, error.number)
        }
    }

    /// Opens the editor and waits until it ends; its output is not part of our results.
    ///
    /// - Throws: `Failure` when it cannot be started or ends with an error.
    func run() throws(Failure) {
        // Run through a shell: EDITOR may contain options. `system` leaves Ctrl-C to the editor,
        // which finds its signals as under a shell.
        signal(SIGPIPE, SIG_DFL)
        defer { signal(SIGPIPE, SIG_IGN) }
        let line = "\(program) \(file.quotedForShell)"
        let status = system(isatty(STDOUT_FILENO) == 1 ? line : "{ \(line)\n} >&2")
        guard status == 0 else {
            let number = status & 0x7F
            let end =
                number == 0
                ? "exited with status \((status >> 8) & 0xFF)" : "was killed by signal \(number)"
            throw Failure(
                kind: number == SIGINT || number == SIGTERM ? .interrupted : .failed,
                sentence: "the editor (\(program)) \(end); "
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
            getenv(name).map { String(cString: $0) }
        }
        if let named = names.first(where: { !$0.isEmpty }) { return named }
        guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else {
            throw Failure(
                kind: .usage,
                sentence: "no terminal for vi",
                hint: "set EDITOR to an editor that needs no terminal, or use 'divan get' and "
                    + "'divan put'"
            )
        }
        return "vi"
    }

    /// The text as it is in the file now.
    func text() throws(Failure) -> [UInt8] {
        try FileLines(file).rest()
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
            var failure = (error as? Failure) ?? Failure(explaining: error)
            if !discardUnchanged() { failure.sentence += "; your text is in \(file)" }
            throw failure
        }
    }

    /// Removes the file; the text is saved elsewhere.
    func discard() {
        unlink(file)
        rmdir(directory)
    }

    /// A file name that tells which document it is.
    private static func safe(_ name: String) -> String {
        let letters = name.prefix(60).map { letter in
            letter.isASCII && (letter.isLetter || letter.isNumber || letter == "-") ? letter : "_"
        }
        return String(letters)
    }

    private static func create(_ file: String) -> Int32? {
        let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        return descriptor >= 0 ? descriptor : nil
    }

    private static func failure(_ path: String) -> Failure {
        Failure(
            kind: .failed,
            sentence: "\(path): \(String(cString: strerror(errno)))",
            hint: "set TMPDIR to a writable directory"
        )
    }
}
