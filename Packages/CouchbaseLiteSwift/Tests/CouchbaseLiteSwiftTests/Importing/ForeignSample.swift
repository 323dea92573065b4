import DivanJSON
import DivanTestKit
import Foundation

/// An unpacked Couchbase Lite database from DivanCBLite's fixtures, with what the engine reports about it.
struct ForeignSample {
    struct Failure: Error {
        let text: String
    }

    /// The folder `NAME.cblite2`.
    let path: String
    /// A line for each document.
    let documents: [JSONObject]
    /// Where new databases go.
    let directory: TemporaryDirectory

    init(_ name: String) throws {
        directory = try TemporaryDirectory()
        let fixtures = Self.fixtures
        guard let tar = Program.installed("tar") else { throw Failure(text: "tar is missing") }
        let words = ["-xzf", "\(fixtures)/\(name).tar.gz", "-C", directory.path]
        let outcome = try tar.run(words)
        guard outcome.status == 0 else { throw Failure(text: outcome.errors) }
        path = directory.path + "/\(name).cblite2"
        let text = try Data(contentsOf: URL(filePath: "\(fixtures)/\(name).expected.jsonl"))
        documents = try text.split(separator: UInt8(ascii: "\n")).compactMap { line in
            let object = try JSON(parsing: Array(line).span).object
            return object?["rev"] == nil ? nil : object
        }
    }

    private static var fixtures: String {
        let parts = "\(#filePath)".split(separator: "/", omittingEmptySubsequences: false)
        let packages = parts.lastIndex(of: "Packages") ?? 0
        return parts[...packages].joined(separator: "/") + "/DivanCBLite/Tests/Fixtures/cblite2"
    }
}
