import DivanJSON
import DivanStore

/// An index as a dump describes it: the words with which it was made, and nothing of how it is stored.
struct DumpedIndex {
    let name: ExactText
    /// `value`, `array` or `fullText`; a newer version may know more.
    let kind: String
    /// Its expressions and condition in SQL++, as `StoredIndex` has them.
    let source: String
    /// How an index of words reads texts.
    let words: StoredIndex.Words?

    init(_ index: StoredIndex) {
        name = index.name
        kind = index.kind.rawValue
        source = index.source
        words = index.words
    }

    /// Reads a description.
    init(_ members: DumpMembers) throws(DumpDamage) {
        name = ExactText(try members.text("name"))
        kind = try members.text("type")
        source = try members.text("of")
        let object = members.object
        words = StoredIndex.Words(
            language: object.contains("language") ? try members.text("language") : nil,
            ignoresAccents: object["ignoresAccents"]?.bool ?? false
        )
    }

    var json: JSON {
        var object: JSONObject = [
            "name": .string(name.text), "type": .string(kind), "of": .string(source),
        ]
        if let language = words?.language { object["language"] = .string(language) }
        if words?.ignoresAccents ?? false { object["ignoresAccents"] = true }
        return .object(object)
    }

    /// The index; `nil` for one of a sort that this version does not know.
    var stored: StoredIndex? {
        guard let kind = StoredIndex.Kind(rawValue: kind) else { return nil }
        let words = kind == .fullText ? words : nil
        return StoredIndex(name: name, kind: kind, source: source, words: words)
    }
}
