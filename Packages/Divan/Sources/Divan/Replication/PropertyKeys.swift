import DivanSeal
import DivanSealedFields
import Foundation

/// Keys that encrypt and decrypt properties, so that an application needs no cryptography of its own: AES-256-GCM,
/// bound to the property's place.
///
/// ```swift
/// let keys = try PropertyKeys(current: "2026", keys: ["2026": .credential("fields")])
/// config.documentPropertyEncryptor = keys.encryptor
/// config.documentPropertyDecryptor = keys.decryptor
/// ```
///
/// To change keys, first give the new one to every reader, then make it the current one. Values encrypted with an
/// unknown key or another algorithm stay as received. Only Divan can read these values; other peers pass them on.
///
/// An addition to the official API, whose wire format it uses. May be used from any thread.
public struct PropertyKeys: Sendable {
    private let keyring: FieldKeyring

    /// Reads the keys.
    ///
    /// - Parameters:
    ///   - current: The ID of the key that encrypts.
    ///   - keys: All keys by their IDs, of 1 to 256 bytes; of equal IDs the last one counts.
    /// - Throws: `CBLError.invalidParameter` for an invalid key or ID, or if `current` is not among `keys`.
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

    /// Decrypts with the key that the property names.
    public var decryptor: DocumentPropertyDecryptor {
        { [keyring] property, input in
            try keyring.open(input.field, property.question).map { Data($0) }
        }
    }
}
