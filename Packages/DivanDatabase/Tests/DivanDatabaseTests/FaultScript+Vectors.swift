import DivanJSON
import DivanQuery
import DivanRevisions

@testable import DivanDatabase
@testable import DivanSQLiteEngine
@testable import DivanStorage
@_spi(Database) @testable import DivanStore

extension FaultScript {
    /// A vector index is created, maintained, trained by a query, given more vectors, rebuilt and dropped.
    static func searching() throws -> [ExpectedContents.Step] {
        [
            vectors(0..<20, 1), vectorIndex(), vectors(15..<40, 2), searched(),
            vectors(30..<50, 3), deletion("vector-3"), purge("vector-4"), placed(),
            vectors(10..<12, 4), Step(name: "reindex", leaves: [:]) { try $0.reindex() },
            searched(), vectors(0..<3, 5), dropped("near"),
        ]
    }

    private static func vectors(_ numbers: Range<Int>, _ round: Int) -> Step {
        let bodies = numbers.map { number in
            let id = DocumentID(unchecked: "vector-\(number)")
            // Every fourth document has a vector of the wrong length.
            let more = number % 4 == round % 4 ? ",1" : ""
            let numbers = "[\(number),\(round),0.5\(more)]"
            return (Place(id), Optional(#"{"v":\#(numbers)}"#))
        }
        return Step(
            name: "vectors \(numbers) \(round)",
            leaves: Dictionary(uniqueKeysWithValues: bodies)
        ) { store in
            try store.write { writer in
                for (place, body) in bodies {
                    let bytes = Array((body ?? "").utf8)
                    _ = try writer.save(place.documentID, in: .default, body: bytes)
                }
            }
        }
    }

    private static func vectorIndex() -> Step {
        Step(name: "make near", leaves: [:]) { store in
            let vector = try QueryExpression(sql: "v").checked(over: .standard)
            let options = QueryVectorOptions(dimensions: 3, centroidCount: 1)
            let source = QueryVectorIndex(name: "near", expression: "v", options: options).source
            try store.write { writer in
                try writer.createIndex(
                    "near",
                    .vector(vector, options),
                    source: source,
                    in: .default
                )
            }
        }
    }

    /// A query that trains the index.
    private static func searched() -> Step {
        Step(name: "search", leaves: [:]) { store in
            let sql = """
                SELECT META().id FROM _ ORDER BY APPROX_VECTOR_DISTANCE(v, [1, 2, 3]) LIMIT 5
                """
            _ = try store.rows(of: sql)
            guard try store.vectorIndexState("near", in: .default)?.isTrained == true else {
                throw Unexpected(outcome: "the index is not trained")
            }
        }
    }

    /// The vectors that were saved since are put into cells.
    private static func placed() -> Step {
        Step(name: "place", leaves: [:]) { store in
            let index = VectorIndexPath(.default, "near")
            try store.work(on: index, VectorUpkeep(freshCount: 0)) { false }
        }
    }
}
