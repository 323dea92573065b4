@_spi(Stores) import CouchbaseLiteSwift
import DivanCommandLine
import DivanJSON
import DivanPlatform
import DivanSeal
import Synchronization

/// The encryption keys of the databases that a command opens: from its options, or typed.
final class KeyRing: Sendable {
    /// The key ring of this process.
    static let shared = KeyRing()

    private struct State {
        var given: EncryptionKey?
        var known: [ExactText: EncryptionKey] = [:]
    }

    private let state = Mutex(State())

    /// Takes the key that the options of a command give.
    ///
    /// - Throws: `Failure` for a key that no database of the line needs.
    func take(_ arguments: Arguments, of syntax: CommandSyntax) throws(Failure) {
        guard syntax.takesKeys, let key = try arguments.key(KeyOptions.current) else { return }
        state.withLock { $0.given = key }
        let names = arguments.operands(ofKind: .database, syntax)
        let needsNone = names.allSatisfy { !DatabasePath($0).isSealed }
        guard !syntax.makesSealed(arguments), !names.isEmpty, needsNone else { return }
        // The command's own error for a missing database is better.
        guard DatabasePath(names[0]).exists else { return }
        throw Failure(
            kind: .invalid,
            sentence: "\(DatabasePath(names[0]).bundle): the database is not encrypted",
            hint: "leave out the key, or run 'divan encrypt' first"
        )
    }

    /// Takes a key that separate options give for one database.
    func take(
        _ arguments: Arguments,
        _ options: KeyOptions,
        of path: DatabasePath
    ) throws(Failure) {
        guard let key = try arguments.key(options) else { return }
        guard path.isSealed || !path.exists else {
            throw Failure(
                kind: .invalid,
                sentence: "\(path.bundle): the database is not encrypted",
                hint: "leave out '\(options.file)'"
            )
        }
        if path.isSealed { try Self.read(key, options) }
        note(key, of: path)
    }

    /// The key of an encrypted database; prompts for a password if neither an option nor the environment gives a key.
    ///
    /// - Throws: `Failure` without a terminal to prompt on.
    func key(of path: DatabasePath) throws(Failure) -> EncryptionKey {
        let names = Self.names(of: path)
        let found = state.withLock { state in
            names.compactMap { state.known[$0] }.first ?? state.given
        }
        if let found { return found }
        if let key = try Self.environmentKey() { return key }
        // The terminal of this process does not belong to the other shell.
        let isForAnother = Streams.current.interruption != nil
        let prompt = "Password of \(path.name): "
        guard !isForAnother, FileDescriptor.standardInput.isTerminal,
            let typed = try HiddenInput.read(prompt)
        else {
            throw Failure(
                kind: .database,
                sentence: "\(path.bundle): the database is encrypted",
                hint: "use '--key-file FILE' or '--key-command COMMAND', or set DIVAN_KEY_FILE",
                code: CBLError.unreadableDatabase
            )
        }
        let key = EncryptionKey.password(typed)
        note(key, of: path)
        return key
    }

    /// The key in the file that `DIVAN_KEY_FILE` names; `nil` if it is not set.
    private static func environmentKey() throws(Failure) -> EncryptionKey? {
        guard let file = try Environment.value("DIVAN_KEY_FILE"), !file.isEmpty else { return nil }
        return try EncryptionKey.reading(file, isPassword: false)
    }

    /// Remembers the key of a database.
    func note(_ key: EncryptionKey, of path: DatabasePath) {
        let names = Self.names(of: path)
        state.withLock { state in
            for name in names { state.known[name] = key }
        }
    }

    /// A database as it was named and, once it exists, its real path: the next use may
    /// come through a link.
    private static func names(of path: DatabasePath) -> [ExactText] {
        let named = ExactText(path.bundle)
        guard let real = try? FileSystem.realPath(path.bundle) else { return [named] }
        return [named, ExactText(real)]
    }

    /// Ensures that the key named by the options is valid; does not prompt for one.
    func checkNewKey(_ arguments: Arguments, _ options: KeyOptions = .current) throws {
        if let key = try arguments.key(options) { try Self.read(key, options) }
    }

    /// Reads a key from its source, so that an error names the options that gave it.
    private static func read(_ key: EncryptionKey, _ options: KeyOptions) throws(Failure) {
        do {
            _ = try key.sealing()
        } catch {
            var failure = Failure(explaining: error)
            if error is SealError {
                let text = Failure.namingOptions("\(error)", options)
                failure = Failure(kind: failure.kind, text: text)
            }
            throw failure
        }
    }

    /// The key of a database that a command creates; `nil` for a plain database.
    ///
    /// - Throws: `Failure` for an invalid key, before anything is created.
    func keyToSealWith(_ arguments: Arguments) throws(Failure) -> EncryptionKey? {
        let options = [
            KeyOptions.sealing.name, KeyOptions.current.file, KeyOptions.current.command,
        ]
        return options.contains(where: arguments.has) ? try newKey(arguments) : nil
    }

    /// A database's new key: from the options, or a password, which must be typed twice.
    ///
    /// - Throws: `Failure`.
    func newKey(
        _ arguments: Arguments,
        _ options: KeyOptions = .current
    ) throws(Failure) -> EncryptionKey {
        if let key = try arguments.key(options) {
            try Self.read(key, options)
            return key
        }
        if options.file == KeyOptions.current.file, let key = try Self.environmentKey() {
            try Self.read(key, .environment)
            return key
        }
        guard FileDescriptor.standardInput.isTerminal,
            let typed = try HiddenInput.read("New password: ")
        else {
            throw .usage(
                "no encryption key given",
                hint: "use '\(options.file) FILE' or '\(options.command) COMMAND'"
            )
        }
        guard try HiddenInput.read("Repeat password: ") == typed else {
            throw Failure(
                kind: .invalid,
                sentence: "the passwords do not match; nothing was changed"
            )
        }
        guard !typed.isEmpty else {
            throw Failure(kind: .invalid, sentence: "the password is empty")
        }
        return .password(typed)
    }
}

/// The names of the options that give a key.
struct KeyOptions {
    let file: String
    let command: String
    let isPassword: String

    /// The current key of the database.
    static let current = KeyOptions(
        file: "--key-file",
        command: "--key-command",
        isPassword: "--key-is-password"
    )
    /// The new key.
    static let new = KeyOptions(
        file: "--new-key-file",
        command: "--new-key-command",
        isPassword: "--new-key-is-password"
    )

    /// The key of the second database of a command, if it has its own.
    static let other = KeyOptions(
        file: "--other-key-file",
        command: "--other-key-command",
        isPassword: "--other-key-is-password"
    )

    /// What messages call the key of the environment.
    static let environment = KeyOptions(
        file: "DIVAN_KEY_FILE",
        command: current.command,
        isPassword: current.isPassword
    )

    /// For commands that create a database.
    static let sealing = CommandSyntax.Option.flag(
        "--encrypt",
        "encrypt the database with a key, or with a password that you type"
    ).grouped(.authentication)

    /// As options of a command.
    func options(of key: String) -> [CommandSyntax.Option] {
        let options: [CommandSyntax.Option] = [
            .value(file, "FILE", completion: .file, "\(key): 32 bytes or 64 hexadecimal digits"),
            .value(command, "COMMAND", "\(key), printed by a command"),
            .flag(isPassword, "treat \(key) as a password"),
        ]
        return options.grouped(.authentication)
    }
}

extension Arguments {
    fileprivate func key(_ options: KeyOptions) throws(Failure) -> EncryptionKey? {
        let isPassword = has(options.isPassword)
        switch (value(options.file), value(options.command)) {
        case (nil, nil) where isPassword:
            throw .usage(
                "'\(options.isPassword)' requires '\(options.file)' or '\(options.command)'"
            )
        case (nil, nil): return nil
        case (let file?, nil): return try EncryptionKey.reading(file, isPassword: isPassword)
        case (nil, let command?): return .command(command, isPassword: isPassword)
        default:
            throw .usage("'\(options.file)' and '\(options.command)' cannot be combined")
        }
    }
}

extension EncryptionKey {
    /// The key in a file, which must exist.
    fileprivate static func reading(
        _ file: String,
        isPassword: Bool
    ) throws(Failure) -> EncryptionKey {
        do {
            try FileSystem.checkAccess(file, .existing)
        } catch  where error.errno == .noSuchFileOrDirectory {
            throw .file(file, error.errno)
        } catch {}
        return .file(file, isPassword: isPassword)
    }
}

extension CommandSyntax {
    /// Whether the command opens databases, which may be encrypted.
    var takesKeys: Bool {
        operands.contains { $0.completion == .database || $0.name.hasSuffix("|DB") }
    }

    /// Whether the output of the command has its own format.
    var printsWhatIsStored: Bool {
        ["blob get", "identity export", "help", "completion", "man", "shell"].contains(name)
    }

    /// Whether the command may create an encrypted database, or encrypt a plain one.
    func makesSealed(_ arguments: Arguments) -> Bool {
        if name == "cp" { return DatabasePath.isLines(arguments.operands[0]) }
        return ["new", "encrypt", "restore", "import-cblite"].contains(name)
    }
}

extension Command {
    /// What the command accepts, with the options of all commands, and those of all that open databases.
    static var line: CommandSyntax {
        var line = syntax
        let hasForm = line.options.contains { $0.name == "--json" }
        if !hasForm, !line.printsWhatIsStored { line.options.append(.json) }
        if line.takesKeys { line.options += KeyOptions.current.options(of: "the encryption key") }
        return line
    }
}
