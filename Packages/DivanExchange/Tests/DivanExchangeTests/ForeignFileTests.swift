import CouchbaseLiteSwift
import DivanExchange
import DivanTestKit
import Testing

/// Files as other programs write them are imported, and exported without loss.
///
/// Nothing is lost if the export has the expected documents, and an import of the export makes equal ones. For a
/// table, this also holds for comma-separated values.
@Suite struct ForeignFileTests {
    @Test func `there are at least thirty files, each with the page of its format`() {
        #expect(ForeignFile.all.count >= 30)
        #expect(ForeignFile.all.allSatisfy { $0.page.hasPrefix("https://") })
        #expect(Set(ForeignFile.all.map(\.name)).count == ForeignFile.all.count)
    }

    @Test(arguments: ForeignFile.all)
    func `a file is imported and exported without loss`(_ file: ForeignFile) throws {
        let shop = try SampleDatabase()
        let first = try shop.importing(file)
        #expect(first.ids.randomCount == 0)
        #expect(try SampleDatabase.lines(of: shop.database) == file.documents)
        let again = try shop.importing(file)
        #expect(again.savedCount == 0)
        #expect(again.unchangedCount == first.savedCount + first.unchangedCount)

        let other = try SampleDatabase()
        try other.importing(file.documents)
        #expect(try SampleDatabase.lines(of: other.database) == file.documents)
        guard file.isTable else { return }
        var table: [UInt8] = []
        try shop.database.exportCSV(of: shop.items, to: { table += $0 })
        let third = try SampleDatabase()
        let source = ByteSource(name: "table", bytes: table)
        try third.database.importDocuments(from: source, as: .csv(CSVRules()))
        #expect(try SampleDatabase.lines(of: third.database) == file.documents)
    }

    @Test(arguments: ForeignFile.texts, FileCompression.allCases)
    func `a compressed copy of a file is imported in pieces of any size`(
        _ file: ForeignFile,
        _ compression: FileCompression
    ) throws {
        var packed: [UInt8] = []
        let output = try CompressedOutput(compression, name: "copy", to: { packed += $0 })
        try output.write(file.bytes)
        try output.finish()
        let shop = try SampleDatabase()
        var rest = packed[...]
        // Magic numbers and headers are cut.
        let source = ByteSource(name: "copy") {
            defer { rest = rest.dropFirst(3) }
            return Array(rest.prefix(3))
        }
        try shop.database.importDocuments(from: source, as: file.format, rules: file.rules)
        #expect(try SampleDatabase.lines(of: shop.database) == file.documents)
    }
}

extension ForeignFile {
    var rules: DocumentImport.Rules {
        .init(ids: ImportIDs(key: idKey, keepsKey: keepsKey, isRequired: idKey != "_id"))
    }
}

extension SampleDatabase {
    /// Imports a file.
    @discardableResult
    func importing(_ file: ForeignFile) throws -> DocumentImport {
        let source = ByteSource(name: file.name, bytes: file.bytes)
        return try database.importDocuments(from: source, as: file.format, rules: file.rules)
    }
}
