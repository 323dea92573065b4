import DivanSeal
import DivanSealedFields
import Foundation

/// Encrypts and decrypts properties with AES-256-GCM, so that the application needs no cryptography of its own.
///
/// Each value is bound to its document and path.
///
/// ```swift
/// let keys = try PropertyKeys(current: "2026", keys: ["2026": .credential("fields")])
/// config.documentPropertyEncryptor = keys.encryptor
/// config.documentPropertyDecryptor = keys.decryptor
/// ```
///
/// To rotate keys, first add the new key on every device, then make it the current one. Values with an unknown key or
/// another algorithm stay encrypted. Only Divan can decrypt these values; other peers store and forward them.
///
/// An addition to the official API, whose wire format it uses. May be used from any thread.
public struct PropertyKeys: Sendable {
    private let keyring: FieldKeyring

    /// Reads the keys.
    ///
    /// - Parameters:
    ///   - current: The ID of the key that encrypts.
    ///   - keys: All keys by their IDs, of 1 to 256 bytes; if an ID is repeated, the last one is used.
    /// - Throws: `CBLError.invalidParameter` for an invalid key or ID, or if `current` is not among `keys`.
    public init(current: String, keys: KeyValuePairs<String, EncryptionKey>) throws {
        try self.init(current: current, pairs: keys.map { ($0.key, $0.value) })
    }

    /// Reads the keys from a list.
    @_spi(Modern) public init(current: String, pairs: [(String, EncryptionKey)]) throws {
        keyring = try translatingErrors {
            var byID: [FieldKeyID: SealKey] = [:]
            for (id, key) in pairs { byID[FieldKeyID(id)] = try key.sealKey() }
            return try FieldKeyring(current: FieldKeyID(current), keys: byID)
        }
    }

    /// Encrypts with the current key.
    public var encryptor: DocumentPropertyEncryptor {
        { [keyring] property, input in
            try keyring.seal(Array(input), property.question).map { EncryptedProperty($0) }
        }
    }

    /// Decrypts with the key whose ID is in the property.
    public var decryptor: DocumentPropertyDecryptor {
        { [keyring] property, input in
            try keyring.open(input.field, property.question).map { Data($0) }
        }
    }
}
