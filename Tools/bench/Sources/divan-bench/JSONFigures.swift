import CDivanFloors
import DivanJSON

/// Validating, parsing and writing JSON, compared with a parse to a tape in C; they take turns.
///
/// The tape validates as much and finds every value with the widest vectors available, but builds none.
enum JSONFigures {
    static func measure(_ documents: Documents, into report: inout Report) throws {
        let trees = try documents.bodies.map { try JSON(parsing: $0.span) }
        var floor = Double.infinity
        var best = [Double](repeating: .infinity, count: 4)
        for _ in 0..<5 {
            floor = min(floor, try floorSeconds(documents))
            let turn = [
                try Stopwatch.bestWork(of: 3) {
                    for body in documents.bodies { _ = try JSONScanner.validate(body.span) }
                },
                try Stopwatch.bestWork(of: 3) {
                    for body in documents.bodies {
                        _ = try JSONScanner.validate(body.span, checksSpelling: false)
                    }
                },
                try Stopwatch.bestWork(of: 3) {
                    for body in documents.bodies { _ = try JSON(parsing: body.span) }
                },
                try Stopwatch.bestWork(of: 3) {
                    for tree in trees { _ = try tree.canonicalBytes() }
                },
            ]
            best = zip(best, turn).map(min)
        }
        let names = ["validate", "validate what a peer sent", "parse to values", "canonical write"]
        for (name, seconds) in zip(names, best) {
            report.add(
                Figure(
                    name: "JSON \(name), 1.2 KB",
                    unit: "MB/s",
                    ours: megabytes(documents, seconds),
                    floor: megabytes(documents, floor),
                    floorName: "C, vectors, to a tape"
                )
            )
        }
    }

    private static func floorSeconds(_ documents: Documents) throws -> Double {
        try documents.withFloor { floor in
            try Stopwatch.bestWork(of: 3) {
                guard floor_json_tape(floor) > 0 else { throw BenchFailure("the JSON tape failed") }
            }
        }
    }

    private static func megabytes(_ documents: Documents, _ seconds: Double) -> Double {
        Double(documents.byteCount) / seconds / 1e6
    }
}
