import DivanRevisions
import DivanSQLite
import DivanTestKit
import Foundation
import Testing

@testable import DivanDatabase
// The map is internal to a salvage.
@testable import DivanSQLiteEngine
@testable import DivanStorage
@_spi(Database) @testable import DivanStore

/// Pages of a damaged file may name any other pages as their children.
@Suite struct PageMapTests {
    /// An interior page of a table: the cells, and the last child after them.
    private static func innerPage(naming children: [UInt32]) -> [UInt8] {
        var page = [UInt8](repeating: 0, count: SQLiteSchema.pageByteCount)
        page[0] = SQLitePage.Kind.tableInterior.rawValue
        page.write(children.count - 1, byteCount: 2, at: 3)
        page.write(Int(children[0]), byteCount: 4, at: 8)
        for (number, child) in children.dropFirst().enumerated() {
            let place = 1_000 + 5 * number
            page.write(place, byteCount: 2, at: 12 + 2 * number)
            page.write(Int(child), byteCount: 4, at: place)
        }
        return page
    }

    @Test(.timeLimit(.minutes(5)))
    func `pages that reference each other are read only once`() throws {
        let home = try TemporaryDirectory()
        let path = home.file("circles")
        let numbers = Array(UInt32(2)...101)
        var file = [UInt8](repeating: 0, count: SQLiteSchema.pageByteCount)
        for _ in numbers { file += Self.innerPage(naming: numbers) }
        try Data(file).write(to: URL(filePath: path))
        let map = try SQLitePageMap(of: path)
        #expect(map.roots.isEmpty)
        #expect(map.root(at: 2) == nil)
    }

    /// A database with a few documents; those of older versions of Divan have pages of 4,096 bytes.
    private static func database(in home: TemporaryDirectory, pageByteCount: Int) throws -> String {
        let directory = home.file("a.cblite2")
        let store = try Store.open(directory: directory)
        try store.write { writer in
            for number in 0..<50 {
                let id = DocumentID(unchecked: "doc-\(number)")
                let filler = String(repeating: "x", count: 700)
                let body = Array(#"{"n":\#(number),"x":"\#(filler)"}"#.utf8)
                _ = try writer.save(id, in: .default, body: body)
            }
        }
        try store.close()
        let connection = try StoreConnection(path: directory + "/db.sqlite3", mode: .readWrite)
        try connection.execute(
            "PRAGMA journal_mode = DELETE; PRAGMA page_size = \(pageByteCount); VACUUM;"
        )
        return directory
    }

    @Test(arguments: [4_096, 8_192])
    func `both page sizes are detected without the file header`(pageByteCount: Int) throws {
        let home = try TemporaryDirectory()
        let directory = try Self.database(in: home, pageByteCount: pageByteCount)
        let file = URL(filePath: directory + "/db.sqlite3")
        #expect(try SQLitePageMap(of: file.path).pageByteCount == pageByteCount)
        var bytes = try Data(contentsOf: file)
        bytes.replaceSubrange(0..<pageByteCount, with: Data(repeating: 0x5A, count: pageByteCount))
        try bytes.write(to: file)
        #expect(try SQLitePageMap(of: file.path).pageByteCount == pageByteCount)
        let salvage = try Store.rebuild(
            directory: directory,
            by: home.file("new.cblite2"),
            keepingOldAt: { home.file("old-\($0).cblite2") },
            options: StoreOptions(),
            completing: { _ in }
        )
        #expect(salvage.losses == [])
        #expect(salvage.documentCount == 50)
    }
}
