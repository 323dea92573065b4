import DivanDatabase
import DivanJSON
import DivanQuery
import DivanRevisions
import DivanTestKit
import Testing

/// Connections get the functions of queries with the first statement that needs them.
///
/// So each operation on indexes is done first after opening, in a database whose indexes call
/// functions: by value, by the items of an array, and by words.
@Suite struct FirstUseTests {
    enum FirstUse: CaseIterable {
        case save, saveOverOld, delete, purge, rebuildIndexes, dropIndexes, makeIndex
        case deleteCollection, checkIntegrity, compact, optimize, optimizeThoroughly, seal, upgrade
    }

    private static let name = CheckedExpression.call(
        .lower,
        [.property(source: 0, "name")],
        .binary
    )

    private static func makeIndexes(_ writer: StoreWriter) throws {
        try writer.createIndex("byName", .value([CheckedKey(name)], filter: nil), in: .default)
        try writer.createIndex("byTag", .array(["tags"], []), in: .default)
        let column = QueryIndexDefinition.FullTextColumn(
            name: "name",
            .property(source: 0, "name")
        )
        try writer.createIndex(
            "words",
            .fullText([column], tokenizer: "divan1 en 1", filter: nil),
            in: .default
        )
    }

    @Test(arguments: FirstUse.allCases, [false, true])
    func `any operation can be the first after opening when indexes call functions`(
        _ use: FirstUse,
        isSealed: Bool
    ) throws {
        let home = try TemporaryDirectory()
        let path = home.file("a.cblite2")
        let options = StoreOptions(sealing: isSealed ? try TestSealing(1) : nil)
        let made = try Store.open(directory: path, options: options)
        for number in 0..<20 {
            let body = #"{"name":"Chair \#(number)","tags":["a","b\#(number)"]}"#
            _ = try made.save(
                DocumentID(unchecked: "d\(number)"),
                in: .default,
                body: Array(body.utf8)
            )
        }
        try made.write { try Self.makeIndexes($0) }
        try made.close()

        let store = try Store.open(directory: path, options: options)
        try apply(use, to: store)
        try store.checkIntegrity()
        try store.close()
    }

    private func apply(_ use: FirstUse, to store: Store) throws {
        let body = Array(#"{"name":"Table","tags":["c"]}"#.utf8)
        switch use {
        case .save: _ = try store.save("new", in: .default, body: body)
        case .saveOverOld: _ = try store.save("d1", in: .default, body: body)
        case .delete:
            _ = try store.write {
                try $0.save("d1", in: .default, body: Array("{}".utf8), isTombstone: true)
            }
        case .purge: _ = try store.write { try $0.purge("d1", in: .default) }
        case .rebuildIndexes: try store.write { try $0.rebuildIndexes(in: .default) }
        case .dropIndexes:
            try store.write {
                for name in ["byName", "byTag", "words"] as [ExactText] {
                    try $0.deleteIndex(name, in: .default)
                }
            }
        case .makeIndex:
            let key = CheckedKey(.call(.upper, [.property(source: 0, "name")], .binary))
            try store.write {
                try $0.createIndex("second", .value([key], filter: nil), in: .default)
            }
        case .deleteCollection: try store.write { try $0.deleteCollection(.default) }
        case .checkIntegrity: try store.checkIntegrity()
        case .compact: _ = try store.compact()
        case .optimize: try store.optimize()
        case .optimizeThoroughly: try store.optimize(isThorough: true)
        case .seal: try store.changeSealing(to: try TestSealing(2))
        case .upgrade: try store.upgradeToVersionVectors()
        }
    }
}
