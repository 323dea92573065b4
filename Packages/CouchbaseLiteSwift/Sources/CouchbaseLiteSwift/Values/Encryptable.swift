import DivanJSON
import DivanSealedFields
public import Foundation

/// A value that a replicator encrypts when it pushes the document, so that servers and peers without the key cannot
/// read it.
///
/// ```swift
/// document.setEncryptable(Encryptable("123-45-6789"), forKey: "ssn")
/// ```
///
/// In the local database, it is an unencrypted dictionary, `{"@type":"encryptable","value":…}`; for encryption on disk
/// see ``DatabaseConfiguration/encryptionKey``. It must be a value in a document or in a nested dictionary. If it is in
/// an array, or contains a blob, the document is not pushed (``CBLError/crypto``). Can be used from any thread.
///
/// Source: `encryption.md` §6; `CBLEncryptable` of Couchbase Lite for C.
public struct Encryptable: Sendable {
    let json: JSON
    /// What prevents a document with it from being saved; its JSON is null then.
    let unstorable: Unstorable?

    /// Creates an encryptable value of any type that documents can store, except a blob; `nil` is null.
    ///
    /// Mutable containers are copied. A type that documents cannot store stops the program, and so does a container
    /// with a new blob that is not stored, because its content would be lost.
    public init(_ value: Any?) {
        let value = Value(value)
        if case .blob = value {
            stopForMisuse("Encryptable: a blob cannot be encrypted; store it under another key")
        }
        unstorable = value.unstorable()
        guard unstorable == nil else {
            json = .null
            return
        }
        // Blobs from documents are taken as they are: a peer may have written their content inline.
        let standing = Elements([value]).metadataArray { blob in
            guard let object = blob.standingObject() else {
                stopForMisuse(
                    "Encryptable: its value contains a blob; store the blob under another key"
                )
            }
            return object
        }
        json = standing.first ?? .null
    }

    /// Creates the value that an object in a document represents; `nil` for other objects.
    init?(standingFor json: JSON?) {
        guard let object = json?.object, let value = EncryptableForm.value(of: object) else {
            return nil
        }
        self.json = value
        unstorable = nil
    }

    /// The value: `String`, `NSNumber`, `NSNull`, or a plain collection of these.
    public var value: Any { json.plainValue(in: nil) }

    /// The string, or `nil` if the value is not one.
    public var string: String? { json.string }

    /// The number or boolean, or `nil` if the value is neither.
    public var number: NSNumber? { json.boxedNumber }

    /// The dictionary that represents it in a document.
    public var properties: [String: Any] { object.plainDictionary(in: nil) }

    var object: JSONObject { EncryptableForm.object(holding: json) }
}

extension Encryptable: Equatable {
    /// Whether both contain the same value.
    public static func == (left: Encryptable, right: Encryptable) -> Bool {
        left.json == right.json && left.unstorable == right.unstorable
    }
}

extension Encryptable: CustomStringConvertible, CustomReflectable {
    /// The type's name; does not contain the value.
    public var description: String { "Encryptable(hidden)" }
    /// Empty, to hide the value.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension Encryptable: DocumentOnly {
    static var noun: String { "an Encryptable" }
}

extension Encryptable: Codable {
    /// Throws an error unless called by `Collection.document(id:as:)`: other decoders are not supported.
    public init(from decoder: any Decoder) throws {
        throw Encryptable.undecodable(by: decoder)
    }

    /// Throws an error unless called by `Collection.save(from:)`: other encoders would reveal the value.
    public func encode(to encoder: any Encoder) throws {
        throw unencodable(by: encoder)
    }
}

extension DictionaryProtocol {
    /// The encryptable value, or `nil` if the value is not encryptable.
    public func encryptable(forKey key: String) -> Encryptable? {
        guard let members = dictionary(forKey: key)?.members else { return nil }
        return Encryptable(standingFor: .object(members.metadataObject()))
    }
}

extension MutableDictionaryProtocol {
    /// Sets a value that replicators encrypt; `nil` stores null.
    @discardableResult
    public func setEncryptable(_ value: Encryptable?, forKey key: String) -> Self {
        setValue(value, forKey: key)
    }
}
