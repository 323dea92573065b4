import CDivanFloors
import DivanJSON

/// Validating, parsing and writing JSON, beside a byte scan in C of the same text.
enum JSONFigures {
    static func measure(_ documents: Documents, into report: inout Report) throws {
        let floor = megabytes(documents, floorSeconds(documents))
        func add(_ name: String, _ seconds: Double) {
            report.add(
                Figure(
                    name: name,
                    unit: "MB/s",
                    ours: megabytes(documents, seconds),
                    floor: floor,
                    floorName: "C byte scan of the same text"
                )
            )
        }
        add(
            "JSON validate, 1.2 KB",
            try Stopwatch.best {
                for body in documents.bodies { _ = try JSONScanner.validate(body.span) }
            }
        )
        add(
            "JSON parse to values, 1.2 KB",
            try Stopwatch.best { for body in documents.bodies { _ = try JSON(parsing: body.span) } }
        )
        let trees = try documents.bodies.map { try JSON(parsing: $0.span) }
        add(
            "JSON canonical write, 1.2 KB",
            try Stopwatch.best { for tree in trees { _ = try tree.canonicalBytes() } }
        )
    }

    private static func floorSeconds(_ documents: Documents) -> Double {
        var depth: Int32 = 0
        let seconds = documents.withFloor { floor in
            Stopwatch.best {
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
