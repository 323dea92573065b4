import DivanJSON

/// Which collection a `FROM` text means.
///
/// Source: `sqlpp.md` §2.
struct CollectionNames {
    let catalogue: any QueryCatalogue

    /// The collection of a name, known to be there.
    func collection(scope: ExactText?, name: ExactText) throws -> QueryCollection {
        let written = (scope.map { $0.text + "." } ?? "") + name.text
        let standard = QueryCollection.standard
        let isDefaultScope = scope == nil || scope == standard.scope || scope == "_"
        if isDefaultScope, name == "_" || name == standard.name { return standard }
        let collection = QueryCollection(
            scope: isDefaultScope ? standard.scope : scope ?? standard.scope,
            name: name
        )
        let isDatabase = scope == nil && name == catalogue.databaseName
        if Self.isValid(collection.scope), Self.isValid(name) {
            if try catalogue.hasCollection(collection) { return collection }
            if isDatabase { return standard }
            throw QueryError("no such collection \"\(written)\"")
        }
        if isDatabase { return standard }
        throw QueryError("\"\(written)\" is not a valid collection name")
    }

    private static func isValid(_ name: ExactText) -> Bool {
        let bytes = name.text.utf8
        guard let first = bytes.first, bytes.count <= 251 else { return false }
        if name == QueryCollection.standard.scope { return true }
        guard first != UInt8(ascii: "_"), first != UInt8(ascii: "%") else { return false }
        return bytes.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
                || byte == UInt8(ascii: "%")
        }
    }
}
