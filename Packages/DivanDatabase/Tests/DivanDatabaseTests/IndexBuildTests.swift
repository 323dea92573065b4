import DivanJSON
import DivanQuery
import DivanRevisions
import DivanSQLite
import DivanTestKit
import Foundation
import Synchronization
import Testing

@testable import DivanDatabase
@testable import DivanSQLiteEngine
@testable import DivanStorage
@_spi(Database) @testable import DivanStore

/// Building indexes: progress reports, cancellation and a killed process.
@Suite struct IndexBuildTests {
    enum Sort: CaseIterable {
        case value
        case array
        case fullText
    }

    private static let count = 4_000

    private let home: TemporaryDirectory
    private let path: String

    init() throws {
        home = try TemporaryDirectory()
        path = home.file("a.cblite2")
        let store = try Store.open(directory: path)
        try store.write { writer in
            for number in 0..<Self.count {
                let body =
                    #"{"name":"Chair \#(number) of oak","price":\#(number),"#
                    + #""tags":["a","b\#(number)"]}"#
                let id = DocumentID(unchecked: "doc-\(number)")
                _ = try writer.save(id, in: .default, body: Array(body.utf8))
            }
            try writer.createIndex("before", Self.definition(.value), in: .default)
        }
        try store.close()
    }

    private static func definition(_ sort: Sort) throws -> QueryIndexDefinition {
        func key(_ sql: String) throws -> CheckedKey {
            CheckedKey(try QueryExpression(sql: sql).checked(over: .standard))
        }
        switch sort {
        case .value: return .value([try key("price"), try key("name")], filter: nil)
        case .array: return .array(["tags"], [])
        case .fullText:
            let name = QueryIndexDefinition.FullTextColumn(
                name: "name",
                try key("name").expression
            )
            return .fullText([name], tokenizer: "divan1 en 1", filter: nil)
        }
    }

    private func withStore<T>(_ body: (Store) throws -> T) throws -> T {
        let store = try Store.open(directory: path)
        defer { try? store.close() }
        return try body(store)
    }

    private func make(_ sort: Sort, _ store: Store, _ control: IndexBuildControl) throws {
        try store.write { writer in
            try writer.createIndex("new", Self.definition(sort), in: .default, control: control)
        }
    }

    private func requireAsBefore(_ store: Store, _ place: String) throws {
        let names = try store.read { try $0.indexes(in: .default).map(\.name) }
        #expect(names == ["before"], "\(place)")
        #expect(try store.inspect().damages.isEmpty, "\(place)")
        let connection = try StoreConnection(path: path + "/db.sqlite3", mode: .readOnly)
        let left = try connection.texts(
            """
            SELECT name FROM sqlite_schema
            WHERE name GLOB '*_items_*' OR name GLOB '*_words_*' OR name GLOB '*_by_6e6577'
            """
        )
        #expect(left == [], "\(place)")
    }

    @Test(arguments: Sort.allCases)
    func `the reported progress of an index build rises to 1`(_ sort: Sort) throws {
        let told = Mutex<[Double]>([])
        try withStore { store in
            let control = IndexBuildControl { share in told.withLock { $0.append(share) } }
            try make(sort, store, control)
            try store.checkIntegrity()
        }
        let shares = told.withLock { $0 }
        #expect(shares.last == 1)
        #expect(shares == shares.sorted() && shares.allSatisfy { (0...1).contains($0) })
        // In the middle, too, and not all at one end.
        #expect(shares.count { (0.1...0.4).contains($0) } > 1, "\(shares)")
        #expect(shares.count > 5 && shares.count <= 1_001, "\(shares.count)")
    }

    @Test(arguments: Sort.allCases)
    func `an index build cancelled at any point leaves everything unchanged`(_ sort: Sort) throws {
        let looks = Mutex(0)
        try withStore { store in
            let control = IndexBuildControl { _ in looks.withLock { $0 += 1 } }
            try make(sort, store, control)
            try store.write { try $0.deleteIndex("new", in: .default) }
        }
        let count = looks.withLock { $0 }
        var places = TestLength.of(
            [0, count / 2, count - 1],
            long: [0, 1, 2, count / 3, count / 2, count - 2, count - 1]
        )
        places.append(Int.random(in: 0..<count))
        print("stopped at \(places) of \(count)")
        try withStore { store in
            for place in places {
                try stop(sort, store, at: place)
                try requireAsBefore(store, "\(sort), look \(place) of \(count)")
                _ = try store.save("doc-0", in: .default, body: Array(#"{"price":1}"#.utf8))
            }
            try make(sort, store, IndexBuildControl())
            try store.checkIntegrity()
        }
    }

    private func stop(_ sort: Sort, _ store: Store, at place: Int) throws {
        let box = Mutex<(control: IndexBuildControl?, looks: Int)>((nil, 0))
        let control = IndexBuildControl { _ in
            box.withLock { box in
                if box.looks == place { box.control?.cancel() }
                box.looks += 1
            }
        }
        box.withLock { $0.control = control }
        #expect(throws: CancellationError.self, "look \(place)") { try make(sort, store, control) }
        box.withLock { $0.control = nil }
    }

    @Test func `an index build cancelled before it starts creates nothing`() throws {
        let control = IndexBuildControl()
        control.cancel()
        try withStore { store in
            for sort in Sort.allCases {
                #expect(throws: CancellationError.self) { try make(sort, store, control) }
            }
            #expect(throws: CancellationError.self) { try store.reindex(control: control) }
            try requireAsBefore(store, "at once")
        }
    }

    /// SQLite rolls back a transaction whose change was stopped; what follows must not commit by itself.
    @Test func `saves in the same transaction as a cancelled index build are not committed`() throws
    {
        try withStore { store in
            let box = Mutex<IndexBuildControl?>(nil)
            let control = IndexBuildControl { share in
                if share > 0.2 { box.withLock { $0?.cancel() } }
            }
            box.withLock { $0 = control }
            #expect(throws: CancellationError.self) {
                try store.write { writer in
                    _ = try writer.save("early", in: .default, body: Array("{}".utf8))
                    let new = try Self.definition(.value)
                    try? writer.createIndex("new", new, in: .default, control: control)
                    _ = try writer.save("late", in: .default, body: Array("{}".utf8))
                }
            }
            box.withLock { $0 = nil }
            for id in ["early", "late"] as [DocumentID] {
                #expect(try store.read { try $0.document(id, in: .default) } == nil)
            }
            try requireAsBefore(store, "in a block")
        }
    }

    @Test(arguments: Sort.allCases)
    func `a process killed during an index build leaves everything unchanged`(_ sort: Sort) throws {
        let copies = Mutex<[String]>([])
        try withStore { store in
            let control = IndexBuildControl { share in
                copies.withLock { copies in
                    guard share >= Double(copies.count) * 0.3 else { return }
                    // What is in the files now is what would be there afterwards.
                    let copy = home.file("copy\(copies.count).cblite2")
                    try? FileManager.default.copyItem(atPath: path, toPath: copy)
                    copies.append(copy)
                }
            }
            try make(sort, store, control)
        }
        let made = copies.withLock { $0 }
        #expect(made.count > 2)
        for copy in made.dropLast() {
            let store = try Store.open(directory: copy)
            defer { try? store.close() }
            #expect(try store.read { try $0.indexes(in: .default).count } == 1)
            #expect(try store.inspect().damages.isEmpty)
            #expect(try store.read { try $0.count(in: .default) } == Self.count)
            try make(sort, store, IndexBuildControl())
            try store.checkIntegrity()
        }
    }

    @Test func `rebuilding all indexes reports its progress`() throws {
        let told = Mutex<[Double]>([])
        try withStore { store in
            for sort in Sort.allCases {
                let name = ExactText("\(sort)")
                try store.write { try $0.createIndex(name, Self.definition(sort), in: .default) }
            }
            let control = IndexBuildControl { share in told.withLock { $0.append(share) } }
            #expect(try store.reindex(control: control) == 4)
            try store.checkIntegrity()
        }
        let shares = told.withLock { $0 }
        #expect(shares.last == 1 && shares == shares.sorted())
        #expect(shares.count { (0.1...0.9).contains($0) } > 10, "\(shares)")
    }

    @Test func `building an index in memory can be cancelled`() throws {
        let room = try StoreFixture(.memory)
        let control = IndexBuildControl()
        try room.store.write {
            try $0.createIndex("a", Self.definition(.value), in: .default, control: control)
        }
        control.cancel()
        #expect(throws: CancellationError.self) {
            try room.store.write {
                try $0.createIndex("b", Self.definition(.array), in: .default, control: control)
            }
        }
        #expect(try room.store.read { try $0.indexes(in: .default).map(\.name) } == ["a"])
    }

    @Test func `an index that exceeds the memory for sorting contains every document`() throws {
        let room = try StoreFixture(.file)
        let count = 10_000
        try room.store.write { writer in
            for number in 0..<count {
                let name = "\(number * 7_919 % count) " + String(repeating: "x", count: 1_000)
                let id = DocumentID(unchecked: "d\(number)")
                _ = try writer.save(id, in: .default, body: Array(#"{"name":"\#(name)"}"#.utf8))
            }
            let name = CheckedExpression.property(source: 0, "name")
            try writer.createIndex("name", .value([CheckedKey(name)], filter: nil), in: .default)
        }
        try room.store.checkIntegrity()
        #expect(try room.store.inspect().damages.isEmpty)
    }

    @Test func `with many indexes a save still distinguishes existing documents from new ones`()
        throws
    {
        try withStore { store in
            try store.write { writer in
                for number in 0..<8 {
                    let name = ExactText("more-\(number)")
                    try writer.createIndex(name, Self.definition(.value), in: .default)
                }
            }
            let body = Array(#"{"name":"Stool","price":1}"#.utf8)
            let again = LocalRevision("doc-7", body: body, over: .revision(nil))
            guard case .conflict(let current) = try store.save(again, in: .default) else {
                Issue.record("It is no conflict")
                return
            }
            #expect(current?.sequence == 8)
            let new = LocalRevision("doc-new", body: body, over: .revision(nil))
            guard case .saved(let saved) = try store.save(new, in: .default) else {
                Issue.record("It is not saved")
                return
            }
            #expect(saved.sequence == UInt64(Self.count) + 1)
            #expect(try store.read { try $0.count(in: .default) } == Self.count + 1)
            #expect(try store.inspect().damages.isEmpty)
        }
    }
}
