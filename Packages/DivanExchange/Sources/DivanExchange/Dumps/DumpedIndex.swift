import DivanJSON

/// An index as a dump describes it: how it was defined, and nothing of how it is stored.
struct DumpedIndex {
    let name: ExactText
    /// `value`, `array` or `fullText`; a newer version may know more.
    let kind: String
    /// Its expressions and condition in SQL++, as in the catalogue.
    let source: String
    /// Of a full-text index: the language whose stems it knows.
    let language: String?
    /// Of a full-text index: whether `é` is `e`.
    let ignoresAccents: Bool

    var json: JSON {
        var object: JSONObject = [
            "name": .string(name.text), "type": .string(kind), "of": .string(source),
        ]
        if let language { object["language"] = .string(language) }
        if ignoresAccents { object["ignoresAccents"] = true }
        return .object(object)
    }

    /// Reads the descriptions of a line; none if it has none.
    static func all(in line: DumpMembers) throws(DumpDamage) -> [DumpedIndex] {
        guard line.object.contains("indexes") else { return [] }
        let problem = DumpDamage("\"indexes\" is not a list of indexes")
        guard let values = line.object["indexes"]?.array, values.count <= ExchangeLimits.indexCount
        else { throw problem }
        var indexes: [DumpedIndex] = []
        for value in values {
            guard let object = value.object else { throw problem }
            let members = DumpMembers(object)
            indexes.append(
                DumpedIndex(
                    name: ExactText(try members.text("name")),
                    kind: try members.text("type"),
                    source: try members.text("of"),
                    language: object.contains("language") ? try members.text("language") : nil,
                    ignoresAccents: object["ignoresAccents"]?.bool ?? false
                )
            )
        }
        return indexes
    }
}
