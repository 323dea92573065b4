internal import CouchbaseLiteSwift
public import Foundation

/// The key that encrypts a database and its blobs with AES-256-GCM.
///
/// Only ``bytes(_:)`` and ``password(_:)`` hold the secret themselves; the other sources are read when a database is
/// opened. Printing a key does not show it.
public struct EncryptionKey: Sendable, CustomStringConvertible, CustomReflectable {
    let official: CouchbaseLiteSwift.EncryptionKey

    /// A key of 32 bytes, such as from `openssl rand 32`; opening fails with another length.
    public static func bytes(_ key: Data) -> EncryptionKey { EncryptionKey(official: .key(key)) }

    /// A password of 1 to 1,024 bytes; prefer random bytes, since a password can be guessed.
    public static func password(_ password: String) -> EncryptionKey {
        EncryptionKey(official: .password(password))
    }

    /// The content of a file that only its owner can read: 32 bytes, 64 hexadecimal digits, or a password.
    public static func file(_ url: URL, isPassword: Bool = false) -> EncryptionKey {
        EncryptionKey(official: .file(url.path(percentEncoded: false), isPassword: isPassword))
    }

    /// The value of an environment variable.
    public static func environment(_ variable: String, isPassword: Bool = false) -> EncryptionKey {
        EncryptionKey(official: .environment(variable, isPassword: isPassword))
    }

    /// A credential that systemd passes to the service: `LoadCredential=notes:/etc/notes.key`.
    public static func credential(_ name: String, isPassword: Bool = false) -> EncryptionKey {
        EncryptionKey(official: .credential(name, isPassword: isPassword))
    }

    /// A key of type `user` in the kernel's keyrings.
    public static func keyring(_ description: String, isPassword: Bool = false) -> EncryptionKey {
        EncryptionKey(official: .keyring(description, isPassword: isPassword))
    }

    /// The output of a shell command, which can prompt the user and run for up to 30 seconds.
    public static func command(_ command: String, isPassword: Bool = false) -> EncryptionKey {
        EncryptionKey(official: .command(command, isPassword: isPassword))
    }

    /// The type's name, without the key.
    public var description: String { "EncryptionKey(hidden)" }
    /// Empty, to hide the key.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
