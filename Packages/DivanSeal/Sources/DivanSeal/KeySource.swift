import DivanPlatform

/// The source of a database's key.
///
/// Called when a database is opened, on the thread that opens it; it can block.
public protocol KeySource: Sendable {
    /// Returns the key.
    ///
    /// - Throws: `SealError`; its description contains the source, but not the key.
    func key() throws(SealError) -> SealKey
}

/// The interpretation of the bytes from a source.
public enum KeyForm: Sendable {
    /// A key: 32 raw bytes, or 64 hexadecimal digits, with or without a line end.
    case key
    /// A password; a trailing line end is not part of it.
    case password

    /// Makes a key from the bytes of a source, and wipes them.
    func key(from given: inout [UInt8], of source: String) throws(SealError) -> SealKey {
        defer { given.wipe() }
        switch self {
        case .password:
            var text = Self.line(given)
            defer { text.wipe() }
            guard let password = String(validating: text, as: UTF8.self) else {
                throw .source(source, detail: "the password is not UTF-8; encode it as UTF-8")
            }
            return try SealKey(password: password)
        case .key:
            if given.count == SealLimits.keyByteCount { return try SealKey(bytes: given.span) }
            var text = Self.line(given)
            defer { text.wipe() }
            guard var key = Self.bytes(ofDigits: text) else {
                throw .source(
                    source,
                    detail: "neither 32 bytes nor 64 hexadecimal digits; use such a key, "
                        + "or KeyForm.password for a password"
                )
            }
            defer { key.wipe() }
            return try SealKey(bytes: key.span)
        }
    }

    /// The same for the first bytes of a buffer that a source has filled; the whole buffer is wiped.
    func key(
        from buffer: inout [UInt8],
        count: Int,
        of source: String
    ) throws(SealError) -> SealKey {
        defer { buffer.wipe() }
        guard count <= min(buffer.count, SealLimits.sourceByteCount) else {
            throw .source(
                source,
                detail: "more than \(SealLimits.sourceByteCount) bytes; provide only the key"
            )
        }
        var taken = Array(buffer[..<count])
        return try key(from: &taken, of: source)
    }

    /// Without "\n" or "\r\n" at the end.
    private static func line(_ given: [UInt8]) -> [UInt8] {
        var line = given
        if line.last == 0x0A { line.removeLast() }
        if line.last == 0x0D { line.removeLast() }
        return line
    }

    private static func bytes(ofDigits text: [UInt8]) -> [UInt8]? {
        guard text.count == 2 * SealLimits.keyByteCount else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(SealLimits.keyByteCount)
        for index in stride(from: 0, to: text.count, by: 2) {
            guard let high = digit(text[index]), let low = digit(text[index + 1]) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

/// A key in memory.
public struct InMemoryKey: KeySource {
    private let given: SealKey

    /// Creates a source for a key.
    public init(_ key: SealKey) {
        given = key
    }

    /// Returns the key.
    public func key() throws(SealError) -> SealKey { given }
}

/// Reads the key from a file that only its owner can read.
public struct FileKey: KeySource {
    private let path: String
    private let form: KeyForm

    /// Creates a source for a file.
    public init(_ path: String, form: KeyForm = .key) {
        self.path = path
        self.form = form
    }

    /// Reads the file; waits for the writer of a pipe as long as for a command.
    ///
    /// - Throws: `source`, also for a file that other users can read.
    public func key() throws(SealError) -> SealKey {
        // O_NONBLOCK: otherwise opening a pipe would wait for a writer without limit.
        let descriptor: FileDescriptor
        do {
            descriptor = try FileDescriptor.open(path, [.readOnly, .closeOnExec, .nonBlocking])
        } catch {
            throw .unreadable(path, error.errno)
        }
        defer { descriptor.close() }
        if let status = try? descriptor.status(), status.kind == .regular,
            status.permissions & 0o077 != 0
        {
            throw .source(path, detail: "readable by other users; run 'chmod 600' on it")
        }
        return try DescriptorKey(
            descriptor,
            form: form,
            name: path,
            milliseconds: SealLimits.commandMilliseconds
        ).key()
    }
}

/// Reads the key from an open file or pipe, which is read to its end and not closed.
public struct DescriptorKey: KeySource {
    private let descriptor: FileDescriptor
    private let form: KeyForm
    private let name: String
    private let milliseconds: Int?

    /// Creates a source for a file descriptor.
    public init(_ descriptor: Int32, form: KeyForm = .key, name: String? = nil) {
        self.init(
            FileDescriptor(descriptor),
            form: form,
            name: name ?? "descriptor \(descriptor)",
            milliseconds: nil
        )
    }

    /// The same, but waits at most this many milliseconds for the end.
    init(_ descriptor: FileDescriptor, form: KeyForm, name: String, milliseconds: Int?) {
        self.descriptor = descriptor
        self.form = form
        self.name = name
        self.milliseconds = milliseconds
    }

    /// Reads the key.
    public func key() throws(SealError) -> SealKey {
        var given = [UInt8](repeating: 0, count: SealLimits.sourceByteCount + 1)
        var count = 0
        let patience = ReadTimeout(milliseconds: milliseconds)
        while count < given.count {
            // Also for a pipe without a writer, which would seem to be at its end.
            guard patience.waits(for: descriptor) else {
                given.wipe()
                throw .source(
                    name,
                    detail: "timed out after \(milliseconds ?? 0) ms without reaching the end; "
                        + "check the program that writes it"
                )
            }
            let found: Result<Int, SystemError> = given.withUnsafeMutableBytes { room in
                Result { () throws(SystemError) in
                    try descriptor.read(
                        into: UnsafeMutableRawBufferPointer(rebasing: room[count...])
                    )
                }
            }
            switch found {
            case .success(0): return try form.key(from: &given, count: count, of: name)
            case .success(let length): count += length
            case .failure(let error) where error.errno == .wouldBlock: continue
            case .failure(let error):
                given.wipe()
                throw .unreadable(name, error.errno)
            }
        }
        return try form.key(from: &given, count: count, of: name)
    }
}

/// Reads the key from an environment variable, for containers; all processes of the same user can read it.
public struct EnvironmentKey: KeySource {
    private let variable: String
    private let form: KeyForm

    /// Creates a source for a variable.
    public init(_ variable: String, form: KeyForm = .key) {
        self.variable = variable
        self.form = form
    }

    /// Reads the variable.
    public func key() throws(SealError) -> SealKey {
        guard var given = CurrentProcess.bytes(ofVariable: variable) else {
            throw .source("$\(variable)", detail: "not set; set it to the key")
        }
        return try form.key(from: &given, of: "$\(variable)")
    }
}

/// Reads the key from a credential that systemd passes to a service (`LoadCredential=`, `SetCredentialEncrypted=`).
public struct CredentialKey: KeySource {
    private let name: String
    private let form: KeyForm

    /// Creates a source for a credential.
    public init(_ name: String, form: KeyForm = .key) {
        self.name = name
        self.form = form
    }

    /// Reads the credential's file.
    public func key() throws(SealError) -> SealKey {
        let source = "credential \(name)"
        guard let directory = CurrentProcess.variable("CREDENTIALS_DIRECTORY") else {
            throw .source(
                source,
                detail: "CREDENTIALS_DIRECTORY is not set; load the credential in the systemd unit"
            )
        }
        guard !name.isEmpty, !name.utf8.contains(UInt8(ascii: "/")), name != "..", name != "."
        else { throw .source(source, detail: "invalid credential name; remove the slash") }
        return try FileKey(directory + "/" + name, form: form).key()
    }
}
