import CDivanFloors
import CouchbaseLiteSwift
import DivanJSON
import DivanTestKit
import Foundation

/// A Couchbase Lite database, made from one of its engine's with other documents in it, and read.
enum ImportFigures {
    private static let documentCount = 100_000
    private static let sample = "copied-3.2"

    static func measure(_ workplace: BenchContext, into report: inout Report) throws {
        let bodies = workplace.documents.bodies
        let bundle = try makeBundle(bodies, in: workplace.newDirectory())
        var configuration = DatabaseConfiguration()
        configuration.directory = try workplace.newDirectory()
        let seconds = try Stopwatch.best {
            let result = try Database.importing(
                fromPath: bundle,
                toDatabase: "new",
                withConfig: configuration
            )
            guard result.documentCount == documentCount, result.damageCount == 0 else {
                throw BenchFailure("imported \(result.documentCount) documents")
            }
            let database = try Database(name: "new", config: configuration)
            try check(database, bodies)
            try database.delete()
        }
        report.add(
            Figure(
                name: "import of a Couchbase Lite database, 1.2 KB",
                unit: "docs/s",
                ours: Double(documentCount) / seconds,
                floorName: "revision trees, with IDs and histories"
            )
        )
    }

    /// Checks that a document equals what was written.
    private static func check(_ database: Database, _ bodies: [[UInt8]]) throws {
        let document = try database.defaultCollection().document(id: "route-000007")
        let text = Array((document?.toJSON() ?? "null").utf8)
        let body = bodies[7]
        let (found, written) = (try JSON(parsing: text.span), try JSON(parsing: body.span))
        guard found == written else {
            throw BenchFailure("route-000007 is another document")
        }
    }

    private static func makeBundle(_ bodies: [[UInt8]], in directory: String) throws -> String {
        guard let tar = Program.installed("tar") else { throw BenchFailure("tar is missing") }
        let archive = "Packages/DivanCBLite/Tests/Fixtures/cblite2/\(sample).tar.gz"
        let outcome = try tar.run(["-xzf", archive, "-C", directory])
        guard outcome.status == 0 else { throw BenchFailure(outcome.errors) }
        var writer = FleeceWriter()
        let values = try bodies.map { body in try JSON(parsing: body.span) }
        let pieces = Pieces(try values.map { try writer.body($0) })
        let keys = try writer.table()
        let bundle = "\(directory)/\(sample).cblite2"
        let isFilled = pieces.withFloor {
            floor_fill_foreign(
                "\(bundle)/db.sqlite3",
                $0,
                bodies.count,
                documentCount,
                keys,
                keys.count
            )
        }
        guard isFilled == 1 else { throw BenchFailure("\(bundle) could not be filled") }
        return bundle
    }
}
