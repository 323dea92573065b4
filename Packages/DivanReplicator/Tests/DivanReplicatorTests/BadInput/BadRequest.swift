import DivanBLIP
import Testing

struct BadRequest: Sendable, CustomTestStringConvertible {
    let profile: String
    let properties: [(String, String)]
    let body: String
    /// `HTTP/400` and the like, `fine`, or `silence` if there is no answer yet.
    let expected: String

    init(
        _ profile: String,
        _ properties: [(String, String)] = [("collection", "0")],
        _ body: String = "",
        _ expected: String = "HTTP/400"
    ) {
        self.profile = profile
        self.properties = properties
        self.body = body
        self.expected = expected
    }

    /// Adds the collection's index, as in most requests.
    static func inCollection(
        _ profile: String,
        _ properties: [(String, String)],
        _ body: String = "",
        _ expected: String = "HTTP/400"
    ) -> Self {
        Self(profile, [("collection", "0")] + properties, body, expected)
    }

    var blipProperties: BLIPProperties {
        var result = BLIPProperties()
        for (name, value) in properties { result.append(name, value) }
        return result
    }

    var testDescription: String {
        let pairs = properties.map { "\($0)=\($1.prefix(20))" }.joined(separator: " ")
        return "\(profile) \(pairs) \(body.prefix(40)): \(expected)"
    }
}
