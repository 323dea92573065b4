public import DivanJSON

/// What a cipher is told about a property.
public struct FieldQuestion: Sendable {
    /// The scope of the document's collection.
    public let scope: String
    /// The name of the document's collection.
    public let collection: String
    /// The document's ID.
    public let documentID: ExactText
    /// Where the property stands: names with dots between, positions in brackets; `\` stands before a
    /// `.`, `[` or `\` that belongs to a name.
    public let keyPath: String
    /// The whole document, as it is here when it is sent, as it came when it is received.
    public let properties: JSONObject
}

/// Encrypts the JSON of a value; `nil`, or no bytes at all, refuses.
///
/// Called on the thread that runs the peer; may block, which halts the replication.
public typealias FieldSealing =
    @Sendable (_ value: [UInt8], _ question: FieldQuestion) throws -> SealedField?

/// Decrypts a value into its JSON; `nil`, or no bytes at all, leaves the property as it came.
///
/// Called on the thread that runs the peer; may block, which halts the replication.
public typealias FieldOpening =
    @Sendable (_ field: SealedField, _ question: FieldQuestion) throws -> [UInt8]?

/// The encryptable properties of one document, on their way out or in.
///
/// **Out**: each `"name":{"@type":"encryptable","value":…}` becomes `"encrypted$name":{…}`, in nested
/// dictionaries too. **In**: the reverse. All else stays as it is. What cannot be encrypted is an error:
/// no value leaves in the clear because something is missing.
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
