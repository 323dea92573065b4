public import DivanJSON

/// What a cipher is told about a property.
public struct FieldQuestion: Sendable {
    /// The scope of the document's collection.
    public let scope: String
    /// The name of the document's collection.
    public let collection: String
    /// The document's ID.
    public let documentID: ExactText
    /// The path of the property: names with dots between, positions in brackets; `\` precedes a
    /// `.`, `[` or `\` that belongs to a name.
    public let keyPath: String
    /// The whole document: the local one when it is sent, the received one when it arrives.
    public let properties: JSONObject
}

/// Encrypts the JSON of a value; `nil`, or an empty result, is a refusal.
///
/// Called on the thread that runs the peer; may block, which pauses the replication.
public typealias FieldSealing =
    @Sendable (_ value: [UInt8], _ question: FieldQuestion) throws -> SealedField?

/// Decrypts a value into its JSON; with `nil`, or an empty result, the property stays as received.
///
/// Called on the thread that runs the peer; may block, which pauses the replication.
public typealias FieldOpening =
    @Sendable (_ field: SealedField, _ question: FieldQuestion) throws -> [UInt8]?

/// The encryptable properties of one document, outgoing or incoming.
///
/// **Out**: each `"name":{"@type":"encryptable","value":…}` becomes `"encrypted$name":{…}`, in nested
/// dictionaries too. **In**: the reverse. Everything else is unchanged. It is an error if a value cannot be
/// encrypted: no value is sent in plain text because something is missing.
///
/// Source: `encryption.md` §6.
public struct DocumentFields: Sendable {
    let scope: String
    let collection: String
    let documentID: ExactText

    /// Names the document.
    public init(scope: String, collection: String, documentID: ExactText) {
        self.scope = scope
        self.collection = collection
        self.documentID = documentID
    }

    func question(
        _ path: FieldPath,
        in document: JSONObject
    ) throws(FieldFailure) -> FieldQuestion {
        FieldQuestion(
            scope: scope,
            collection: collection,
            documentID: documentID,
            keyPath: try path.text(),
            properties: document
        )
    }
}
