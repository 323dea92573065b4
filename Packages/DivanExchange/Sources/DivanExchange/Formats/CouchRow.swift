import DivanJSON

/// A row of a CouchDB response, or a document; a long document is not parsed.
struct CouchRow {
    /// The members that describe the row and its document, without the other members of a long document.
    let members: JSONObject
    /// A long document, which is a part of the row's text.
    private let document: JSONMembers?

    /// Members of a row, in addition to those that begin with an underscore.
    private static let keys: Set = [
        "id", "key", "value", "doc", "deleted", "error", "reason", "last_seq",
    ]
    /// Bytes of a member that is parsed.
    private static let shortByteCount = 64 << 10

    /// Reads a row; `nil` if the text is not an object.
    init?(_ text: ArraySlice<UInt8>) {
        guard let row = try? JSONMembers(parsing: text) else { return nil }
        if let tree = row.tree {
            (members, document) = (tree, nil)
            return
        }
        guard var outline = try? Self.outline(of: text, row) else { return nil }
        if outline.contains("_id") {
            (members, document) = (outline, row)
            return
        }
        guard let inner = row.text(of: "doc"), let whole = try? JSONMembers(parsing: inner),
            whole.tree == nil, let described = try? Self.outline(of: inner, whole)
        else {
            // The document is short, or there is none.
            (members, document) = (outline, nil)
            return
        }
        outline["doc"] = .object(described)
        (members, document) = (outline, whole)
    }

    /// The text of a document, which was made from `members`.
    func canonicalBytes(of changed: JSONObject) throws -> [UInt8] {
        guard var whole = document, changed["_deleted"] == nil else {
            return try JSON.object(changed).canonicalBytes()
        }
        let described = members.contains("_id") ? members : members["doc"]?.object ?? [:]
        for (key, _) in described where key.hasPrefix("_") { whole[key] = nil }
        for (key, value) in changed { whole[key] = value }
        return try whole.canonicalBytes()
    }

    /// The members that describe a long object: those of CouchDB, and short ones that a row has.
    private static func outline(
        of text: ArraySlice<UInt8>,
        _ whole: JSONMembers
    ) throws -> JSONObject {
        var reader = JSONReader(text)
        var outline = JSONObject()
        try reader.beginObject()
        while let key = try reader.nextKey() {
            let isCouch = key.hasPrefix("_")
            guard isCouch || keys.contains(key) else {
                try reader.skip()
                continue
            }
            let value = try reader.readRaw()
            guard isCouch || value.count < shortByteCount else { continue }
            outline[key] = try JSON(parsing: value)
        }
        // Blobs would replace a property with this name, which is an error.
        if outline.contains(InlineBlobs.attachmentsKey), whole.contains("attachments") {
            outline["attachments"] = .null
        }
        return outline
    }
}
