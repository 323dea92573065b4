public import DivanJSON

/// The property that a cipher encrypts or decrypts.
public struct FieldContext: Sendable {
    /// The scope of the document's collection.
    public let scope: String
    /// The name of the document's collection.
    public let collection: String
    /// The document's ID.
    public let documentID: ExactText
    /// The path of the property: names separated by dots, positions in brackets; `\` precedes a `.`, `[` or `\`
    /// that belongs to a name.
    public let keyPath: String
    /// The whole document: the local document when it is sent, the received document when it arrives.
    public let properties: JSONObject
}

/// Encrypts the JSON of a value; `nil`, or an empty result, means failure.
///
/// Called on the thread of the replication, which it can block.
public typealias FieldSealing =
    @Sendable (_ value: [UInt8], _ question: FieldContext) throws -> SealedField?

/// Decrypts a value into its JSON; with `nil`, or an empty result, the property remains as received.
///
/// Called on the thread of the replication, which it can block.
public typealias FieldOpening =
    @Sendable (_ field: SealedField, _ question: FieldContext) throws -> [UInt8]?

/// The encryptable properties of one document, outgoing or incoming.
///
/// **Outgoing**: each `"name":{"@type":"encryptable","value":…}` becomes `"encrypted$name":{…}`, also in nested
/// dictionaries. **Incoming**: the reverse. All other values are unchanged. If a value cannot be encrypted, this is
/// an error: it is never sent in plain text.
///
/// Source: `encryption.md` §6.
public struct DocumentFields: Sendable {
    let scope: String
    let collection: String
    let documentID: ExactText

    /// Creates the fields of a document.
    public init(scope: String, collection: String, documentID: ExactText) {
        self.scope = scope
        self.collection = collection
        self.documentID = documentID
    }

    func question(
        _ path: FieldPath,
        in document: JSONObject
    ) throws(FieldFailure) -> FieldContext {
        FieldContext(
            scope: scope,
            collection: collection,
            documentID: documentID,
            keyPath: try path.text(),
            properties: document
        )
    }
}
