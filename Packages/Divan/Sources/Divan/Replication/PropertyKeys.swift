import DivanSeal
import DivanSealedFields
import Foundation

/// Keys with which properties are encrypted and decrypted, so that an application needs no cryptography of
/// its own: AES-256-GCM, bound to the place of the property.
///
/// ```swift
/// let keys = try PropertyKeys(current: "2026", keys: ["2026": .credential("fields")])
/// config.documentPropertyEncryptor = keys.encryptor
/// config.documentPropertyDecryptor = keys.decryptor
/// ```
///
/// To change keys, give the new one to every reader first, then make it the current one. What an unknown key
/// or another algorithm encrypted stays as it came. Only Divan reads it; peers of other makes pass it on.
///
/// An addition to the official API, in whose form it travels. May be used from any thread.
public struct PropertyKeys: Sendable {
    private let keyring: FieldKeyring

    /// Asks for the keys.
    ///
    /// - Parameters:
    ///   - current: The ID of the key that encrypts.
    ///   - keys: All keys by their IDs, of 1 to 256 bytes; of equal IDs the last counts.
    /// - Throws: `CBLError.invalidParameter` for a key or an ID that is none, and a current one that is not
    ///   among `keys`.
    public init(current: String, keys: KeyValuePairs<String, EncryptionKey>) throws {
        keyring = try translatingErrors {
            var byID: [FieldKeyID: SealKey] = [:]
            for (id, key) in keys { byID[FieldKeyID(id)] = try key.sealKey() }
            return try FieldKeyring(current: FieldKeyID(current), keys: byID)
        }
    }

    /// Encrypts with the current key.
    public var encryptor: DocumentPropertyEncryptor {
        { [keyring] property, input in
            try keyring.seal(Array(input), property.question).map { EncryptedProperty($0) }
        }
    }

    /// Decrypts with whichever key is named.
    public var decryptor: DocumentPropertyDecryptor {
        { [keyring] property, input in
            try keyring.open(input.field, property.question).map { Data($0) }
        }
    }
}
