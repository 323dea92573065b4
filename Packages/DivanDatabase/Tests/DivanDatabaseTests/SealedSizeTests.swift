import DivanDatabase
import DivanRevisions
import DivanTestKit
import Testing

/// Sealed databases that are larger than SQLite's cache.
@Suite struct SealedSizeTests {
    private static func options(_ key: UInt8?) throws -> StoreOptions {
        StoreOptions(sealing: try key.map { try TestSealing($0) })
    }

    /// The first page is written late: SQLite writes others to make room.
    @Test(arguments: [(nil, 1), (1, 2), (1, nil)] as [(UInt8?, UInt8?)])
    func `a large database can be encrypted, rekeyed, opened, compacted and copied`(
        old: UInt8?,
        new: UInt8?
    ) throws {
        let home = try TemporaryDirectory()
        let path = home.file("a.cblite2")
        let store = try Store.open(directory: path, options: try Self.options(old))
        let count = TestLength.of(4_000, long: 12_000)
        let filler = String(repeating: "pomegranate ", count: 80)
        try store.write { writer in
            for number in 0..<count {
                let body = Array(#"{"n":\#(number),"x":"\#(filler)"}"#.utf8)
                _ = try writer.save(DocumentID(unchecked: "d\(number)"), in: .default, body: body)
            }
        }
        try store.changeSealing(to: try Self.options(new).sealing)
        try store.checkIntegrity()
        try store.compact()
        try store.checkIntegrity()
        try store.close()
        let copy = home.file("copy.cblite2")
        try Store.copy(directory: path, to: copy, sealing: try Self.options(new).sealing)
        for path in [path, copy] {
            let again = try Store.open(directory: path, options: try Self.options(new))
            #expect(try again.read { try $0.count(in: .default) } == count)
            try again.checkIntegrity()
            try again.close()
        }
    }
}
