import DivanJSON
import DivanQuery
import DivanTestKit
import Testing

/// One case of the vectors.
struct Vector: Sendable, CustomTestStringConvertible {
    let id: String
    let sql: String
    let columns: [ExactText]?
    let error: Failure?

    struct Failure: Sendable {
        let when: String
        let code: Int?
        let position: Int?
    }

    var testDescription: String { id }

    init?(_ json: JSON) {
        guard let id = json["id"]?.string, let sql = json["sql"]?.string else { return nil }
        self.id = id
        self.sql = sql
        columns = json["columns"]?.array?.compactMap { $0.string.map { ExactText($0) } }
        error = json["error"].map { error in
            Failure(
                when: error["when"]?.string ?? "",
                code: error["code"]?.int.map { Int($0) },
                position: error["position"]?.int.map { Int($0) }
            )
        }
    }

    static func all() throws -> [Vector] {
        let files = [
            "collation", "dates", "errors", "fts", "functions", "joins", "select", "values",
        ]
        return try files.flatMap { file in
            let json = try JSON(parsing: try Fixture("vectors/\(file).json").bytes())
            return (json["cases"]?.array ?? []).compactMap { Vector($0) }
        }
    }
}

/// The database of the vectors, with what checks need of it.
struct VectorCatalogue: QueryCatalogue {
    let databaseName: ExactText = "vectors"

    func hasCollection(_ collection: QueryCollection) -> Bool {
        collection == .standard
            || collection.scope == "shop"
                && ["chairs", "makers", "orders"].contains(collection.name)
    }

    func hasFullTextIndex(_ name: ExactText, in collection: QueryCollection) -> Bool {
        collection.name == "chairs"
            && ["storyEn", "storyPlain", "storyAccent", "twoCols", "longOnly"].contains(name)
    }
}

extension QueryStatement {
    /// The meaning of a SQL++ text in the database of the vectors.
    static func checked(_ sql: String) throws -> CheckedStatement {
        try QueryStatement(sql: sql).checked(against: VectorCatalogue(), text: sql)
    }
}

/// The error that `body` throws.
func queryError(_ body: () throws -> some Any) -> QueryError? {
    do {
        _ = try body()
        return nil
    } catch {
        return error as? QueryError
    }
}
