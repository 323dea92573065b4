internal import DivanJSON

/// Walks through a document and encrypts what is to be encrypted.
///
/// The parser has limited the depth, and so the recursion.
struct SealingWalk {
    let fields: DocumentFields
    let document: JSONObject
    let sealing: FieldSealing?
    private var count = 0

    init(fields: DocumentFields, document: JSONObject, sealing: FieldSealing?) {
        self.fields = fields
        self.document = document
        self.sealing = sealing
    }

    mutating func result(for body: [UInt8]) throws(FieldFailure) -> [UInt8] {
        guard EncryptableForm.value(of: document) == nil else { throw .misplaced(keyPath: "") }
        let sealed = try object(document, at: FieldPath())
        guard count > 0 else { return body }
        guard let bytes = try? JSON.object(sealed).canonicalBytes() else { throw .unreadable }
        return bytes
    }

    private mutating func object(
        _ object: JSONObject,
        at path: FieldPath
    ) throws(FieldFailure) -> JSONObject {
        var members: [JSONObject.Member] = []
        members.reserveCapacity(object.count)
        for (key, value) in object {
            let path = path.member(key)
            guard let plain = value.object.flatMap({ EncryptableForm.value(of: $0) }) else {
                members.append((key, try self.value(value, at: path)))
                continue
            }
            let sealedKey = SealedField.prefix + key
            guard !object.contains(sealedKey) else { throw .occupied(keyPath: try path.text()) }
            members.append((sealedKey, try seal(plain, at: path).json))
        }
        return JSONObject(members)
    }

    private mutating func value(
        _ value: JSON,
        at path: FieldPath
    ) throws(FieldFailure) -> JSON {
        switch value {
        case .object(let object): return .object(try self.object(object, at: path))
        case .array(let elements):
            var sealed: [JSON] = []
            sealed.reserveCapacity(elements.count)
            for (position, element) in elements.enumerated() {
                let path = path.element(position)
                let isEncryptable =
                    element.object.map { EncryptableForm.value(of: $0) != nil } ?? false
                guard !isEncryptable else { throw .misplaced(keyPath: try path.text()) }
                sealed.append(try self.value(element, at: path))
            }
            return .array(sealed)
        default: return value
        }
    }

    private mutating func seal(
        _ plain: JSON,
        at path: FieldPath
    ) throws(FieldFailure) -> SealedField {
        count += 1
        guard count <= FieldLimits.fieldsCount else { throw .tooMany }
        guard let sealing else { throw .noSealing(keyPath: try path.text()) }
        guard !plain.holdsBlob else { throw .holdsBlob(keyPath: try path.text()) }
        guard let bytes = try? plain.canonicalBytes() else { throw .unreadable }
        let question = try fields.question(path, in: document)
        let field: SealedField?
        do {
            field = try sealing(bytes, question)
        } catch {
            throw FieldFailure(error, at: question)
        }
        guard let field, !field.ciphertext.isEmpty else {
            throw .failed(keyPath: question.keyPath, reason: "the encryptor returned no data")
        }
        guard field.algorithm.utf8.count <= FieldLimits.nameByteCount,
            field.keyID?.utf8.count ?? 0 <= FieldLimits.nameByteCount
        else {
            // No peer would recognize it as an encrypted property.
            let limit = FieldLimits.nameByteCount
            let reason = "the algorithm name or key ID exceeds \(limit) bytes"
            throw .failed(keyPath: question.keyPath, reason: reason)
        }
        return field
    }
}

extension FieldFailure {
    /// Converts the error of a cipher.
    init(_ error: any Error, at question: FieldContext) {
        self =
            error as? FieldFailure
            ?? .failed(keyPath: question.keyPath, reason: String(describing: error))
    }
}

extension JSON {
    /// Whether it contains a blob, whose content would be sent separately, unencrypted.
    fileprivate var holdsBlob: Bool {
        switch self {
        case .object(let object):
            object[EncryptableForm.typeKey]?.string == "blob"
                || object.contains { $0.value.holdsBlob }
        case .array(let elements): elements.contains { $0.holdsBlob }
        default: false
        }
    }
}
