internal import DivanJSON

/// Walks through a received document and decrypts what can be decrypted.
///
/// The parser has limited the depth, and so the recursion.
struct OpeningWalk {
    let fields: DocumentFields
    let document: JSONObject
    let opening: FieldOpening
    private var askedCount = 0
    private var openedCount = 0

    init(fields: DocumentFields, document: JSONObject, opening: @escaping FieldOpening) {
        self.fields = fields
        self.document = document
        self.opening = opening
    }

    mutating func result(for body: [UInt8]) throws(FieldFailure) -> [UInt8] {
        let opened = try object(document, at: FieldPath(), depth: 1)
        guard openedCount > 0 else { return body }
        guard let bytes = try? JSON.object(opened).canonicalBytes() else { throw .unreadable }
        return bytes
    }

    private mutating func object(
        _ object: JSONObject,
        at path: FieldPath,
        depth: Int
    ) throws(FieldFailure) -> JSONObject {
        var members: [JSONObject.Member] = []
        members.reserveCapacity(object.count)
        for (key, value) in object {
            if let name = Self.name(of: key), !object.contains(name),
                let field = SealedField(value),
                let plain = try open(field, at: path.member(name), depth: depth + 2)
            {
                members.append((name, .object(EncryptableForm.object(holding: plain))))
            } else {
                let path = path.member(key)
                members.append((key, try self.value(value, at: path, depth: depth + 1)))
            }
        }
        return JSONObject(members)
    }

    /// The local name of an encrypted property; `nil` for any other property.
    private static func name(of key: String) -> String? {
        let prefixCount = SealedField.prefix.utf8.count
        guard key.utf8.starts(with: SealedField.prefix.utf8) else { return nil }
        return String(key.utf8.dropFirst(prefixCount))
    }

    private mutating func value(
        _ value: JSON,
        at path: FieldPath,
        depth: Int
    ) throws(FieldFailure) -> JSON {
        switch value {
        case .object(let object): return .object(try self.object(object, at: path, depth: depth))
        case .array(let elements):
            var opened: [JSON] = []
            opened.reserveCapacity(elements.count)
            for (position, element) in elements.enumerated() {
                opened.append(
                    try self.value(element, at: path.element(position), depth: depth + 1)
                )
            }
            return .array(opened)
        default: return value
        }
    }

    private mutating func open(
        _ field: SealedField,
        at path: FieldPath,
        depth: Int
    ) throws(FieldFailure) -> JSON? {
        askedCount += 1
        guard askedCount <= FieldLimits.fieldsCount else { throw .tooMany }
        let question = try fields.question(path, in: document)
        let bytes: [UInt8]?
        do {
            bytes = try opening(field, question)
        } catch {
            throw FieldFailure(error, at: question)
        }
        guard let bytes, !bytes.isEmpty else { return nil }
        let limits = JSONLimits(depth: JSONLimits.default.depth - depth + 1)
        guard limits.depth > 0, let value = try? JSON(parsing: bytes.span, limits: limits) else {
            throw .notJSON(keyPath: question.keyPath)
        }
        openedCount += 1
        return value
    }
}
