import DivanDatabase
import DivanFullText
import DivanJSON
import DivanQuery
import DivanRevisions
import FoundationEssentials
import Testing

/// The 975 cases, run on both engines.
@Suite("SQL++ test vectors")
struct QueryVectorTests {
    /// Cases with a different answer, with the reason; the vectors or the description of the
    /// language leave the choice.
    private static let differences = [
        "patterns-014": "no replacement is asked for, and none is made",
        "select-013": "a column speaks of the property, whatever another one is called",
        "select-016": "a bare text is a string, not the path of a property",
        "select-024": "containers are in the order of their JSON, not of a binary form",
    ]

    private static let files = [
        "collation", "dates", "errors", "fts", "functions", "joins", "select", "values",
    ]

    @Test(
        "Every case returns the expected result or a documented difference",
        arguments: EngineKind.allCases
    )
    func cases(kind: EngineKind) throws {
        let room = try QueryVectorStore(kind)
        var (count, differing) = (0, Set<String>())
        for file in Self.files {
            let json = try JSON(parsing: try QueryVectorStore.bytes(of: file))
            for item in json["cases"]?.array ?? [] {
                let vector = try #require(VectorCase(item))
                count += 1
                guard let problem = room.problem(with: vector) else { continue }
                differing.insert(vector.id)
                #expect(
                    Self.differences[vector.id] != nil,
                    "\(vector.id) (\(vector.status)): \(vector.sql)\n\(problem)"
                )
            }
        }
        #expect(count == 975)
        #expect(differing == Set(Self.differences.keys))
    }
}

/// What the official API would report for an error.
struct ErrorNumber: Equatable {
    let domain: String
    let code: Int

    init(domain: String, code: Int) {
        self.domain = domain
        self.code = code
    }

    init?(_ error: any Error) {
        guard let error = error as? QueryError else { return nil }
        let domain = error.code == .failed ? "SQLite" : "CouchbaseLite"
        self.init(domain: domain, code: error.code.rawValue)
    }
}

/// One case.
struct VectorCase {
    let id: String
    let sql: String
    let status: String
    let parameters: [ExactText: QueryValue]
    let rows: [[JSON]]?
    let failsWhen: String?
    /// Domain and code of the error, if the vectors state them.
    let failure: ErrorNumber?

    init?(_ json: JSON) {
        guard let id = json["id"]?.string, let sql = json["sql"]?.string,
            let status = json["status"]?.string
        else { return nil }
        self.id = id
        self.sql = sql
        self.status = status
        rows = json["rows"]?.array?.compactMap(\.array)
        let error = json["error"]
        failsWhen = error?["when"]?.string
        failure = error?["domain"]?.string.map { domain in
            ErrorNumber(domain: domain, code: error?["code"]?.int.map { Int($0) } ?? 0)
        }
        var parameters: [ExactText: QueryValue] = [:]
        for (name, value) in json["params"]?.object.map(Array.init) ?? [] {
            parameters[ExactText(name)] = QueryValue(value)
        }
        self.parameters = parameters
    }
}

extension VectorCase {
    /// What differs for an expected error; `nil` if domain and code match.
    func problem(with error: any Error) -> String? {
        guard let failure, failure != ErrorNumber(error) else { return nil }
        return "fails with \(String(describing: ErrorNumber(error))): \(error)"
    }
}

/// A store with the dataset of the vectors.
final class QueryVectorStore {
    private let room: StoreFixture

    static func bytes(of file: String) throws -> [UInt8] {
        // They belong to the language package; here they are run.
        let here = "\(#filePath)".split(separator: "/", omittingEmptySubsequences: false)
        let packages = here.dropLast(4).joined(separator: "/")
        let folder = "\(packages)/DivanQuery/Tests/Fixtures/vectors"
        return [UInt8](try Data(contentsOf: URL(filePath: "\(folder)/\(file).json")))
    }

    init(_ kind: EngineKind) throws {
        room = try StoreFixture(kind)
        let json = try JSON(parsing: Self.bytes(of: "dataset"))
        for (name, documents) in try #require(json["collections"]?.object) {
            let path = try #require(CollectionPath(name))
            try room.store.createCollection(path)
            for document in documents.array ?? [] { try save(document, in: path) }
        }
        for index in json["indexes"]?.array ?? [] { try make(index) }
    }

    private func save(_ document: JSON, in path: CollectionPath) throws {
        let id = try DocumentID(checking: document["id"]?.string ?? "")
        let body = try #require(document["body"]).canonicalBytes()
        try room.store.write { writer in
            _ = try writer.save(id, in: path, body: body)
            if document["deleted"]?.bool == true {
                _ = try writer.save(id, in: path, body: Array("{}".utf8), isTombstone: true)
            }
            if let time = document["expiration"]?.int {
                try writer.setExpiration(time, of: id, in: path)
            }
        }
    }

    private func make(_ index: JSON) throws {
        let path = try #require(CollectionPath(index["collection"]?.string ?? ""))
        let name = ExactText(try #require(index["name"]?.string))
        let source = try #require(index["expression"]?.string)
        let over = QueryCollection(path)
        let expressions = try QueryStatement.indexedExpressions(sql: source)
            .map { try $0.checked(over: over) }
        let filter = try index["where"]?.string.map {
            try QueryExpression(sql: $0).checked(over: over)
        }
        let definition: QueryIndexDefinition
        if index["type"]?.string == "fts" {
            let names = source.split(separator: ",").map { $0.split(separator: " ").joined() }
            definition = .fullText(
                zip(names, expressions).map { .init(name: ExactText($0), $1) },
                tokenizer: FullText.tokenizer(
                    language: index["language"]?.string,
                    ignoresAccents: index["ignoreAccents"]?.bool ?? false
                ),
                filter: filter
            )
        } else {
            definition = .value(expressions.map { CheckedKey($0) }, filter: filter)
        }
        try room.store.write {
            try $0.createIndex(name, definition, source: source, in: path)
        }
    }

    /// What is not as expected; `nil` if everything is.
    func problem(with vector: VectorCase) -> String? {
        let statement: CheckedStatement
        do {
            statement = try QueryStatement(sql: vector.sql)
                .checked(against: StoreCatalogue(room.store, named: "vectors"), text: vector.sql)
        } catch {
            return vector.failsWhen == "compile"
                ? vector.problem(with: error) : "does not compile: \(error)"
        }
        do {
            let query = StorageQuery(statement, parameters: vector.parameters)
            let rows = try room.store.rows(of: query)
            var found: [[JSON]] = []
            while let row = try rows.next() { found.append(row.map(\.vector)) }
            guard let expected = vector.rows else { return "does not fail" }
            let isOrdered = !statement.orderings.isEmpty
            return Self.areEqual(found, expected, isOrdered: isOrdered)
                ? nil : "found \(Self.text(found)), expected \(Self.text(expected))"
        } catch {
            return vector.failsWhen == nil ? "fails: \(error)" : vector.problem(with: error)
        }
    }

    private static func text(_ rows: [[JSON]]) -> String {
        let json = JSON.array(rows.map { .array($0) })
        return (try? json.canonicalBytes()).map { String(decoding: $0, as: UTF8.self) } ?? "–"
    }

    private static func areEqual(_ left: [[JSON]], _ right: [[JSON]], isOrdered: Bool) -> Bool {
        guard left.count == right.count else { return false }
        if isOrdered { return zip(left, right).allSatisfy { areEqual($0, $1) } }
        var rest = right
        return left.allSatisfy { row in
            guard let place = rest.firstIndex(where: { areEqual(row, $0) }) else { return false }
            rest.remove(at: place)
            return true
        }
    }

    private static func areEqual(_ left: [JSON], _ right: [JSON]) -> Bool {
        left.count == right.count && zip(left, right).allSatisfy { areEqual($0, $1) }
    }

    private static func areEqual(_ left: JSON, _ right: JSON) -> Bool {
        switch (left, right) {
        case (.array(let left), .array(let right)):
            return areEqual(left, right)
        case (.object(let left), .object(let right)):
            return left.count == right.count
                && left.allSatisfy { key, value in right[key].map { areEqual(value, $0) } ?? false }
        default: break
        }
        guard let first = left.double, let second = right.double else { return left == right }
        return abs(first - second) <= 1e-12 * max(abs(first), abs(second))
    }
}

extension QueryValue {
    /// In the notation of the vectors.
    var vector: JSON {
        switch self {
        case .missing: .object(["$missing": true])
        case .null: .null
        case .boolean(let value): .bool(value)
        case .integer(let value): .int(value)
        case .double(let value): .double(value)
        case .string(let text): .string(text)
        case .container(let bytes): (try? JSON(parsing: bytes)) ?? .string("unreadable")
        case .binary: .string("binary")
        }
    }
}
