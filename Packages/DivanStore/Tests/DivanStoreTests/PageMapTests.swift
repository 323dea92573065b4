import DivanTestKit
import Foundation
import Testing

// The map is a salvage's own.
@testable import DivanStore

/// Pages of a damaged file may name any others as their children.
@Suite struct PageMapTests {
    /// An inner page of a table: so many cells, and the last child behind them.
    private static func innerPage(naming children: [UInt32]) -> [UInt8] {
        var page = [UInt8](repeating: 0, count: SQLitePageMap.pageByteCount)
        func write(_ value: Int, byteCount: Int, at place: Int) {
            for byte in 0..<byteCount {
                let shift = 8 * (byteCount - 1 - byte)
                page[place + byte] = UInt8(truncatingIfNeeded: value >> shift)
            }
        }
        page[0] = SQLitePage.Kind.tableInterior.rawValue
        write(children.count - 1, byteCount: 2, at: 3)
        write(Int(children[0]), byteCount: 4, at: 8)
        for (number, child) in children.dropFirst().enumerated() {
            let place = 1_000 + 5 * number
            write(place, byteCount: 2, at: 12 + 2 * number)
            write(Int(child), byteCount: 4, at: place)
        }
        return page
    }

    @Test(.timeLimit(.minutes(5)))
    func `pages that name each other are looked at once`() throws {
        let home = try TemporaryDirectory()
        let path = home.file("circles")
        let numbers = Array(UInt32(2)...101)
        var file = [UInt8](repeating: 0, count: SQLitePageMap.pageByteCount)
        for _ in numbers { file += Self.innerPage(naming: numbers) }
        try Data(file).write(to: URL(filePath: path))
        let map = try SQLitePageMap(of: path)
        #expect(map.roots.isEmpty)
        #expect(map.root(at: 2) == nil)
    }
}
