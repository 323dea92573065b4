import DivanJSON
import Foundation

extension Value {
    /// The value as `value(forKey:)` returns it.
    func object(in origin: Database?) -> Any {
        switch self {
        case .dictionary(let dictionary): dictionary
        case .array(let array): array
        case .blob(let blob): blob
        case .json(.object(let members)):
            if let description = members.blobDescription {
                Blob(description, in: origin)
            } else {
                DictionaryObject(Members(members, in: origin))
            }
        case .json(.array(let elements)): ArrayObject(Elements(elements, in: origin))
        case .json(let json): json.plainValue(in: origin)
        case .unstorable(let unstorable): unstorable.plainValue
        }
    }

    /// The value as plain collections; blobs stay objects.
    fileprivate func plain(in origin: Database?, _ nesting: Nesting) -> Any {
        switch self {
        case .json(let json): json.plainValue(in: origin)
        case .dictionary(let dictionary): dictionary.members.plainDictionary(nesting.inner)
        case .array(let array): array.elements.plainArray(nesting.inner)
        case .blob(let blob): blob
        case .unstorable(let unstorable): unstorable.plainValue
        }
    }

    /// The value as JSON in a query, in which a blob that is not stored yet has its content.
    var queryJSON: JSON {
        metadata(.outermost) { $0.queryObject() }
    }

    /// The value as JSON, with the result of `object` for each blob.
    fileprivate func metadata(
        _ nesting: Nesting,
        _ object: (Blob) -> JSONObject
    ) -> JSON {
        switch self {
        case .json(let json): json
        case .dictionary(let dictionary):
            .object(dictionary.members.metadataObject(nesting.inner, ofBlob: object))
        case .array(let array):
            .array(array.elements.metadataArray(nesting.inner, ofBlob: object))
        case .blob(let blob): .object(object(blob))
        case .unstorable: .null
        }
    }
}

extension Members {
    /// The members as plain collections; blobs stay objects.
    func plainDictionary(_ nesting: Nesting = .outermost) -> [String: Any] {
        if let plainObject { return plainObject.plainDictionary(in: origin) }
        var dictionary: [String: Any] = [:]
        for key in keys { dictionary[key] = self[key]?.plain(in: origin, nesting) }
        return dictionary
    }

    /// The members as JSON, with each blob's metadata so far: one that is not stored yet has no digest.
    func metadataObject(
        _ nesting: Nesting = .outermost,
        ofBlob object: (Blob) -> JSONObject = { $0.metadataObject() }
    ) -> JSONObject {
        if let plainObject { return plainObject }
        return JSONObject(
            keys.compactMap { key in self[key].map { (key, $0.metadata(nesting, object)) } }
        )
    }
}

extension Elements {
    /// The elements as plain collections; blobs stay objects.
    func plainArray(_ nesting: Nesting = .outermost) -> [Any] {
        values.map { $0.plain(in: origin, nesting) }
    }

    /// The elements as JSON; see ``Members/metadataObject(_:ofBlob:)``.
    func metadataArray(
        _ nesting: Nesting = .outermost,
        ofBlob object: (Blob) -> JSONObject = { $0.metadataObject() }
    ) -> [JSON] {
        values.map { $0.metadata(nesting, object) }
    }
}

extension JSON {
    /// The canonical text of parsed JSON, which can therefore always be written.
    var canonicalText: String {
        // A query may have put containers around a document of the maximum depth.
        let limits = JSONLimits(depth: .max)
        return String(decoding: (try? canonicalBytes(limits: limits)) ?? [], as: UTF8.self)
    }

    /// Parses JSON text from a caller.
    ///
    /// - Throws: `CBLError.invalidJSON`, with line and column.
    init(publicText text: String) throws {
        do {
            try self.init(parsing: text)
        } catch {
            throw NSError(CBLError.invalidJSON, String(describing: error), cause: error)
        }
    }
}

extension JSONObject {
    /// Parses a JSON object from a caller.
    ///
    /// - Throws: `CBLError.invalidJSON`.
    init(publicText text: String) throws {
        guard case .object(let object) = try JSON(publicText: text) else {
            throw NSError(CBLError.invalidJSON, "JSON: the root is not an object; pass { … }")
        }
        self = object
    }
}
