import CDivanFloors
import DivanJSON

/// Validating, parsing and writing JSON, beside a byte scan in C of the same text; they take turns.
enum JSONFigures {
    static func measure(_ documents: Documents, into report: inout Report) throws {
        let trees = try documents.bodies.map { try JSON(parsing: $0.span) }
        var floor = Double.infinity
        var best = [Double](repeating: .infinity, count: 3)
        for _ in 0..<5 {
            floor = min(floor, floorSeconds(documents))
            let turn = [
                try Stopwatch.bestWork(of: 3) {
                    for body in documents.bodies { _ = try JSONScanner.validate(body.span) }
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
        for (name, seconds, share) in [
            ("JSON validate, 1.2 KB", best[0], 0.4),
            ("JSON parse to values, 1.2 KB", best[1], 0.15),
            ("JSON canonical write, 1.2 KB", best[2], 0.2),
        ] {
            report.add(
                Figure(
                    name: name,
                    unit: "MB/s",
                    ours: megabytes(documents, seconds),
                    floor: megabytes(documents, floor),
                    floorName: "C byte scan of the same text",
                    must: .share(share)
                )
            )
        }
    }

    private static func floorSeconds(_ documents: Documents) -> Double {
        var depth: Int32 = 0
        let seconds = documents.withFloor { floor in
            Stopwatch.bestWork(of: 3) {
                for index in 0..<floor.pointee.count {
                    let text = floor.pointee.bodies[index]
                    depth &+= floor_json_scan(text, floor.pointee.body_lengths[index])
                }
            }
        }
        // The sum is looked at, so that the loop is not optimised away.
        return depth > 0 ? seconds : 0
    }

    private static func megabytes(_ documents: Documents, _ seconds: Double) -> Double {
        Double(documents.byteCount) / seconds / 1e6
    }
}
