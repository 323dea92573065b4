import DivanJSON

/// Properties of a document whose names have another meaning in a line: they are set apart, in an object
/// under the empty key, which no document can have.
///
/// `{"_id":"x","_sequence":9,"":{"_sequence":5},"v":1}` is change 9, a document `{"_sequence":5,"v":1}`.
enum EscapedProperties {
    private static let place = ""
    private static let names = ["_sequence", "_collection", place]

    /// Sets apart those that would clash with what a line says about its document.
    static func setApart(in body: inout JSONMembers) {
        var own = JSONObject()
        for name in names {
            guard let value = body[name] else { continue }
            own[name] = value
            body[name] = nil
        }
        if !own.isEmpty { body[place] = .object(own) }
    }

    /// Takes them out of a line; returns none if there is no such object.
    static func taking(from line: inout JSONMembers) -> JSONObject {
        guard let own = line[place]?.object, !own.isEmpty,
            own.allSatisfy({ names.contains($0.key) })
        else { return [:] }
        line[place] = nil
        return own
    }
}
