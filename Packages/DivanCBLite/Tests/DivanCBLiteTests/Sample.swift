import DivanCBLite
import DivanJSON
import DivanRevisions
import DivanTestKit

/// An unpacked database of `Tests/Fixtures/cblite2`, with what the engine says about it.
struct Sample {
    static let whole = [
        "revtree-3.2", "vectors-4.1", "upgraded-4.1", "legacy-pulled-4.1", "copied-3.2",
        "manykeys-3.2", "hot-3.2", "hot-torn-3.2", "revtree-2.x", "damaged-3.2",
    ]

    struct Failure: Error {
        let text: String
    }

    /// The folder `NAME.cblite2`.
    let path: String
    let expected: [JSONObject]
    private let directory: TemporaryDirectory

    init(_ name: String) throws {
        directory = try TemporaryDirectory()
        guard let tar = Program.installed("tar") else { throw Failure(text: "tar is missing") }
        let archive = Fixture("cblite2/\(name).tar.gz").path
        let outcome = try tar.run(["-xzf", archive, "-C", directory.path])
        guard outcome.status == 0 else { throw Failure(text: outcome.errors) }
        path = directory.path + "/\(name).cblite2"
        expected = try Self.lines(of: "\(name).expected.jsonl")
    }

    static func lines(of name: String) throws -> [JSONObject] {
        try Fixture("cblite2/\(name)").bytes().split(separator: UInt8(ascii: "\n")).map { line in
            guard let object = try JSON(parsing: Array(line).span).object else {
                throw Failure(text: "a line is no object")
            }
            return object
        }
    }

    /// The lines about whole documents.
    var documents: [JSONObject] { expected.filter { $0["rev"] != nil } }

    var database: JSONObject { expected.lazy.compactMap { $0["database"]?.object }.first ?? [:] }
}

extension JSON {
    /// The value without parts that JSON cannot express: a member is removed, an item becomes null.
    var withoutUndefined: JSON {
        switch self {
        case .array(let items):
            return .array(items.map { $0.isUndefined ? .null : $0.withoutUndefined })
        case .object(let members):
            var kept: JSONObject = [:]
            for (key, value) in members where !value.isUndefined {
                kept[key] = value.withoutUndefined
            }
            return .object(kept)
        default: return self
        }
    }

    private var isUndefined: Bool { object?["@undefined"]?.bool == true }

    func canonicalText() throws -> String {
        String(decoding: try withoutUndefined.canonicalBytes(), as: UTF8.self)
    }
}
