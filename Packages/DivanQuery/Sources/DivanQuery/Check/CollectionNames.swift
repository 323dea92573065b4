import DivanJSON

/// Finds the collection that a `FROM` text means.
///
/// Source: `sqlpp.md` §2.
struct CollectionNames {
    let catalogue: any QueryCatalogue

    /// The collection with this name, which is known to exist.
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
            let remedy = try remedy(written)
            throw QueryError("no such collection \"\(written)\"" + remedy)
        }
        if isDatabase { return standard }
        throw QueryError("\"\(written)\" is not a valid collection name")
    }

    /// The name that was probably meant, or the first few that exist.
    private func remedy(_ written: String) throws -> String {
        let names = try catalogue.collectionNames()
        let capitals = names.map { $0.uppercased() }
        if let near = EditDistance.nearest(to: written, among: capitals)?.word,
            let place = capitals.firstIndex(of: near)
        {
            return "; did you mean \(names[place])?"
        }
        if let inScope = names.first(where: { $0.hasSuffix(".\(written)") }) {
            return "; did you mean \(inScope)?"
        }
        guard !names.isEmpty else { return "" }
        let list = names.prefix(5).joined(separator: ", ")
        return "; existing collections: \(list)\(names.count > 5 ? ", …" : "")"
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
