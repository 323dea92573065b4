import DivanDatabase
public import DivanJSON

/// What a database refuses in the body of a document.
///
/// An import checks it for each document, and not when a thousand are saved, so that the error names the document.
public enum DocumentRules {
    /// Checks the keys of a body.
    ///
    /// - Throws: `ExchangeError` with `invalid` for a reserved key or an empty one.
    public static func check(_ body: JSONMembers) throws(ExchangeError) {
        for key in BodyRules.reservedKeys where body.contains(key) {
            throw ExchangeError(.invalid, "the key '\(key)' is reserved", remedy: "rename the key")
        }
        if body.contains("") {
            throw ExchangeError(
                .invalid,
                "a key is empty",
                remedy: "rename the key; Couchbase Lite rejects documents with an empty key"
            )
        }
    }
}
