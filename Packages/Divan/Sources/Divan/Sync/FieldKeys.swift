@_spi(Modern) internal import CouchbaseLiteSwift

/// The keys with which a sync encrypts single fields of documents, so that servers and peers without the keys cannot
/// read them.
///
/// ```swift
/// patient.insurance = .encryptable("123-45-6789")
/// try patients.save(patient)
/// options.fieldKeys = try FieldKeys(current: "2026", ["2026": .random()])
/// ```
///
/// Values are encrypted with AES-256-GCM, and bound to their document and path. Without keys, documents with encryptable
/// values are not sent. To rotate keys, first add the new key on every device, then make it the current one. Values with
/// an unknown key stay encrypted.
public struct FieldKeys: Sendable {
    let keys: PropertyKeys

    /// Takes the keys.
    ///
    /// - Parameters:
    ///   - current: The ID of the key that encrypts.
    ///   - keys: All keys by their IDs, of 1 to 256 bytes; IDs are sent unencrypted.
    /// - Throws: ``DivanError/Code/invalidArgument`` for an invalid ID, or if `current` is not among `keys`.
    public init(
        current: String,
        _ keys: KeyValuePairs<String, EncryptionKey>
    ) throws {
        self.keys = try DivanError.converting(place: "field keys") {
            let pairs = keys.map { ($0.key, $0.value.official) }
            return try PropertyKeys(current: current, pairs: pairs)
        }
    }
}

extension DocumentValue {
    /// A value that is encrypted when its document is sent; see ``FieldKeys``.
    ///
    /// In this database, it is not encrypted: it is the object `{"@type":"encryptable","value":…}`. It must be a
    /// property of the document or of a nested object, not in an array, and must not contain a blob.
    public static func encryptable(_ value: DocumentValue) -> DocumentValue {
        ["@type": "encryptable", "value": value]
    }

    /// The value inside, if this is one that ``encryptable(_:)`` made.
    public var decrypted: DocumentValue? {
        self["@type"]?.string == "encryptable" ? self["value"] : nil
    }
}
