public import DivanDatabase
import DivanSeal
public import Foundation
import Synchronization

/// The key that encrypts a database and its blobs (AES-256-GCM).
///
/// ```swift
/// var config = DatabaseConfiguration()
/// config.encryptionKey = .credential("notes")  // LoadCredential=notes:/etc/notes.key
/// let database = try Database(name: "notes", config: config)
/// ```
///
/// The key is kept in memory that is wiped after use and excluded from core dumps. Keys from other sources than
/// ``key(_:)`` are read when a database is opened, once for each `EncryptionKey`. May be used from any thread.
///
/// Source: `encryption.md` §1.
public struct EncryptionKey: Sendable {
    /// The source, and the key once it has been read.
    private final class CachedKey: Sendable {
        private let source: Mutex<any KeySource>

        init(_ source: any KeySource) {
            self.source = Mutex(source)
        }

        func key() throws(SealError) -> SealKey {
            try source.withLock { source throws(SealError) in
                let key = try source.key()
                // Discard the source, especially a password.
                source = InMemoryKey(key)
                return key
            }
        }
    }

    private let given: CachedKey

    private init(_ source: any KeySource) {
        given = CachedKey(source)
    }

    /// A key of 32 bytes.
    ///
    /// With another length, opening a database throws `CBLError.invalidParameter`.
    ///
    /// Random bytes are the strongest key: `openssl rand 32`.
    public static func key(_ key: Data) -> EncryptionKey {
        EncryptionKey(RawKey(Swift.Result { () throws(SealError) in try SealKey(bytes: key.span) }))
    }

    /// A password.
    ///
    /// The key is derived from it as on other platforms, which takes about 20 ms.
    ///
    /// A memorable password can be guessed by anyone with the file and enough time; prefer ``key(_:)``. With an empty
    /// password, or one of more than 1,024 bytes, opening a database throws `CBLError.invalidParameter`.
    public static func password(_ password: String) -> EncryptionKey {
        EncryptionKey(PasswordKey(password))
    }

    /// The content of a file that only its owner can read: 32 bytes, 64 hexadecimal digits, or a password.
    ///
    /// An addition to the official API.
    public static func file(_ path: String, isPassword: Bool = false) -> EncryptionKey {
        EncryptionKey(FileKey(path, form: isPassword ? .password : .key))
    }

    /// The content of an open file or pipe, which stays open.
    ///
    /// An addition to the official API.
    public static func descriptor(_ descriptor: Int32, isPassword: Bool = false) -> EncryptionKey {
        EncryptionKey(DescriptorKey(descriptor, form: isPassword ? .password : .key))
    }

    /// The value of an environment variable.
    ///
    /// An addition to the official API.
    public static func environment(_ variable: String, isPassword: Bool = false) -> EncryptionKey {
        EncryptionKey(EnvironmentKey(variable, form: isPassword ? .password : .key))
    }

    /// A credential that systemd passes to the service.
    ///
    /// An addition to the official API.
    public static func credential(_ name: String, isPassword: Bool = false) -> EncryptionKey {
        EncryptionKey(CredentialKey(name, form: isPassword ? .password : .key))
    }

    /// A key of type `user` in the kernel's keyrings: `keyctl padd user divan:notes @u < notes.key`.
    ///
    /// An addition to the official API.
    public static func keyring(_ description: String, isPassword: Bool = false) -> EncryptionKey {
        EncryptionKey(KeyringKey(description, form: isPassword ? .password : .key))
    }

    /// The output of a shell command, which can prompt the user and run for up to 30 seconds.
    ///
    /// An addition to the official API.
    public static func command(_ command: String, isPassword: Bool = false) -> EncryptionKey {
        EncryptionKey(CommandKey(command, form: isPassword ? .password : .key))
    }

    /// The encryption for programs that open stores directly.
    ///
    /// - Throws: `SealError`.
    @_spi(Stores) public func sealing() throws -> any StoreSealing {
        DatabaseSealing(Seal(key: try sealKey()))
    }

    /// The key itself, read once.
    func sealKey() throws(SealError) -> SealKey { try given.key() }
}

extension EncryptionKey: CustomStringConvertible, CustomReflectable {
    /// The type's name; does not contain the key.
    public var description: String { "EncryptionKey(hidden)" }
    /// Empty, to hide the key.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Bytes that were given as a key.
private struct RawKey: KeySource {
    private let given: Swift.Result<SealKey, SealError>

    init(_ given: Swift.Result<SealKey, SealError>) {
        self.given = given
    }

    func key() throws(SealError) -> SealKey { try given.get() }
}

/// A password from which the key is derived on demand.
private struct PasswordKey: KeySource {
    private let password: String

    init(_ password: String) {
        self.password = password
    }

    func key() throws(SealError) -> SealKey { try SealKey(password: password) }
}
