internal import DivanJSON
public import DivanSeal

/// The ID of a key, which is sent with the encrypted values; 1 to 256 bytes.
public struct FieldKeyID: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    private let name: ExactText

    /// Creates an ID from text.
    public init(_ text: String) { name = ExactText(text) }
    /// Creates an ID from a literal.
    public init(stringLiteral text: String) { self.init(text) }
    /// The ID as text.
    public var description: String { name.text }
}

/// Keys for properties: one that encrypts, and others that only decrypt.
///
/// To change keys, first add the new key to all readers, then make it the current key; remove the old key when no
/// value is encrypted with it. Each value is encrypted with AES-256-GCM and bound to scope, collection, document,
/// key path and key ID: if a server moves it elsewhere, it cannot be decrypted. An older value of the same property
/// can.
///
/// Docs/formats/sealed-fields.md defines the bytes. Can be used from any thread.
public final class FieldKeyring: Sendable {
    /// The algorithm's name in the protocol.
    public static let algorithm = "DIVAN_AES_256_GCM"

    private let current: FieldKeyID
    private let seals: [FieldKeyID: MessageSeal]

    /// Creates a keyring.
    ///
    /// - Throws: `library`; `source` if `current` has no key, or an ID is empty or too long.
    public init(
        current: FieldKeyID,
        keys: [FieldKeyID: SealKey]
    ) throws(SealError) {
        guard keys[current] != nil else {
            throw .source("key \(current)", detail: "the current key is missing; add it")
        }
        var seals: [FieldKeyID: MessageSeal] = [:]
        for (keyID, key) in keys {
            guard (1...FieldLimits.nameByteCount).contains(keyID.description.utf8.count) else {
                throw .source(
                    "key \(keyID)",
                    detail: "invalid key ID; use 1 to 256 bytes"
                )
            }
            seals[keyID] = try MessageSeal(key, label: "divan field")
        }
        self.current = current
        self.seals = seals
    }

    /// Encrypts with the current key.
    @Sendable public func seal(
        _ value: [UInt8],
        _ question: FieldContext
    ) throws -> SealedField? {
        try seals[current].map { seal in
            SealedField(
                try seal.seal(value.span, binding: question.bound(to: current)),
                algorithm: Self.algorithm,
                keyID: current.description
            )
        }
    }

    /// Decrypts with the key of the value; `nil` for other algorithms and unknown keys.
    ///
    /// - Throws: `damaged` for a value that was not encrypted with that key or for this property.
    @Sendable public func open(
        _ field: SealedField,
        _ question: FieldContext
    ) throws -> [UInt8]? {
        guard field.algorithm == Self.algorithm, let keyID = field.keyID.map({ FieldKeyID($0) })
        else { return nil }
        return try seals[keyID].map { seal in
            try seal.open(field.ciphertext.span, binding: question.bound(to: keyID))
        }
    }
}

extension FieldContext {
    /// The place as bytes, each part preceded by its length, so that no two places are equal.
    fileprivate func bound(to keyID: FieldKeyID) -> [UInt8] {
        var bytes: [UInt8] = []
        for part in [scope, collection, documentID.text, keyPath, keyID.description] {
            let utf8 = Array(part.utf8)
            let count = UInt32(clamping: utf8.count)
            bytes += stride(from: 24, through: 0, by: -8).map { UInt8(count >> UInt32($0) & 255) }
            bytes += utf8
        }
        return bytes
    }
}
