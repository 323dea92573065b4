import Divan
import DivanPlatform
import DivanTestKit
import Foundation
import Synchronization
import Testing

@Suite struct ExchangeTests {
    private let shop: DiskDatabase
    private var db: Database { shop.database }

    init() throws {
        shop = try DiskDatabase()
        try shop.database.collection("notes").save(Note(id: "1", title: "Milk", stars: 3))
        try shop.database.collection("notes").save(Note(id: "2", title: "Rice, brown", done: true))
        try shop.database.collection("_default").save(
            try Document(id: "d", json: #"{"of":"default"}"#)
        )
    }

    private func file(_ name: String) -> URL { shop.url.appending(path: name) }

    // MARK: Exports and imports

    @Test(arguments: [
        "notes.jsonl", "notes.csv", "notes.jsonl.gz", "notes.csv.gz", "notes.jsonl.zst",
    ]) func aCollectionReturnsFromAFile(name: String) throws {
        let notes = try db.collection("notes")
        let written = try notes.export(to: file(name))
        #expect(written.documentCount == 2)
        #expect(written.damaged.isEmpty)
        let copies = try db.collection("copies")
        let saved = try copies.import(from: file(name))
        #expect(saved.savedCount == 2)
        #expect(try copies.documents(of: Note.self).all() == notes.documents(of: Note.self).all())
        let again = try copies.import(from: file(name))
        #expect((again.savedCount, again.unchangedCount) == (0, 2))
    }

    @Test(arguments: [Database.ExportFormat.lines, .array]) func allCollectionsReturnFromOneFile(
        format: Database.ExportFormat
    ) throws {
        let written = try db.export(to: file("all"), as: format)
        #expect(written.documentCount == 3)
        let other = try Database.inMemory()
        let saved = try other.import(from: file("all"))
        #expect(saved.savedCount == 3)
        #expect(try other.collection("notes").get("2", as: Note.self)?.done == true)
        #expect(try other.collection("_default").get("d")?.of?.string == "default")
    }

    @Test func aSQLiteFileHasATableForEachCollection() throws {
        let written = try db.export(to: file("all.sqlite"))
        #expect(written.documentCount == 3)
        let bytes = try Data(contentsOf: file("all.sqlite"))
        #expect(bytes.starts(with: Data("SQLite format 3".utf8)))
    }

    @Test func theContentOfBlobsIsEmbeddedOrReportedAsMissing() throws {
        let photos = try db.collection("photos")
        var photo = Document(id: "p")
        photo.picture = Blob(Data("picture".utf8), type: "text/plain")
        try photos.save(photo)
        let without = try photos.export(to: file("without.jsonl"))
        #expect(without.missingBlobCount == 1)
        let with = try photos.export(to: file("with.jsonl"), includingBlobs: true)
        #expect(with.missingBlobCount == 0)
        let other = try Database.inMemory().collection("photos")
        let lacking = try other.import(from: file("without.jsonl"))
        #expect(lacking.missingBlobs.count == 1)
        let complete = try other.import(from: file("with.jsonl"))
        #expect(complete.missingBlobs.isEmpty)
        let restored = try #require(try other.get("p")?.picture?.blob)
        #expect(try restored.data() == Data("picture".utf8))
    }

    @Test func theTotalOfATableExportIsKnownFromTheStart() throws {
        var reports: [Database.ExchangeProgress] = []
        try db.export(to: file("all.sqlite")) { reports.append($0) }
        #expect(reports.first == .init(documentCount: 0, totalCount: 3))
        #expect(reports.allSatisfy { $0.totalCount == 3 })
        #expect(reports.map(\.documentCount) == reports.map(\.documentCount).sorted())
        #expect(reports.last?.fractionCompleted == 1)
    }

    @Test func documentsAtAPathOfMongoDBAndOfGeoJSONAreImported() throws {
        let docs = try db.collection("docs")
        func importing(_ text: String, _ format: Database.ImportOptions.Format) throws {
            try Data(text.utf8).write(to: file("in.json"))
            try docs.import(from: file("in.json"), .init(format: format))
        }
        try importing(#"{"data":{"rows":{"a":{"n":1}}}}"#, .nestedJSON(path: "/data/rows"))
        try importing(#"{"_id":{"$numberInt":"5"},"n":{"$numberLong":"2"}}"#, .mongo())
        try importing(#"[{"_id":"c","n":{"$numberLong":"3"}}]"#, .mongo(path: ""))
        try importing(#"{"type":"Feature","id":"f","n":4}"#, .geoJSON)
        let numbers = try ["a", "5", "c", "f"].map { try docs.get($0)?.n?.int }
        #expect(numbers == [1, 2, 3, 4])
        let error = #expect(throws: DivanError.self) {
            try importing("{}", .nestedJSON(path: "rows"))
        }
        #expect(error?.code == .invalidArgument)
    }

    @Test func anotherPropertyIsTheID() throws {
        try Data("number;title\n7;Seven\n8;Eight\n".utf8).write(to: file("table.csv"))
        let numbers = try db.collection("numbers")
        let saved = try numbers.import(from: file("table.csv"), .init(idProperty: "number"))
        #expect(saved.savedCount == 2)
        #expect(try numbers.get("8")?.title?.string == "Eight")
        #expect(try numbers.get("8")?.number == nil)
        expect(.invalidArgument) {
            try numbers.import(from: file("table.csv"), .init(idProperty: "sku"))
        }
    }

    @Test func aColumnStaysText() throws {
        try Data("_id,code\na,12\n".utf8).write(to: file("table.csv"))
        let table = try db.collection("table")
        try table.import(
            from: file("table.csv"),
            .init(format: .csv(separator: ",", textColumns: ["code"]))
        )
        #expect(try table.get("a")?.code?.string == "12")
        expect(.invalidArgument) {
            try table.import(from: file("table.csv"), .init(format: .csv(separator: "→")))
        }
    }

    @Test func aResponseOfCouchDBIsImported() throws {
        let rows = #"{"rows":[{"id":"c","doc":{"_id":"c","_rev":"1-a","kind":"couch"}}]}"#
        try Data(rows.utf8).write(to: file("rows"))
        let notes = try db.collection("couch")
        try notes.import(from: file("rows"), .init(format: .couch()))
        #expect(try notes.get("c")?.kind?.string == "couch")
    }

    @Test func theNamesOfFilesInADirectoryAreTheIDs() throws {
        let folder = file("folder")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        try Data(#"{"title":"One"}"#.utf8).write(to: folder.appending(path: "one.json"))
        let notes = try db.collection("folder")
        let saved = try notes.import(from: folder)
        #expect(saved.savedCount == 1)
        #expect(try notes.get("one")?.title?.string == "One")
    }

    @Test func aDryRunSavesNothing() throws {
        try db.collection("notes").export(to: file("notes.jsonl"))
        let other = try Database.inMemory().collection("notes")
        let seen = try other.import(from: file("notes.jsonl"), .init(isDryRun: true))
        #expect((seen.savedCount, seen.replacedCount) == (2, 0))
        #expect(try other.count() == 0)
        try other.save(Note(id: "1", title: "Other"))
        let later = try other.import(from: file("notes.jsonl"), .init(isDryRun: true))
        #expect((later.savedCount, later.replacedCount) == (2, 1))
    }

    @Test func invalidDocumentsEndTheImportOrAreSkipped() throws {
        try Data("{\"_id\":\"a\"}\n{\"_id\":[]}\n{\"_id\":\"b\"}\n".utf8).write(to: file("bad"))
        let notes = try db.collection("bad")
        expect(.decodingFailed) { try notes.import(from: file("bad")) }
        let saved = try notes.import(from: file("bad"), .init(skipsInvalid: true))
        #expect(saved.skippedCount == 1)
        #expect(saved.skipped.first?.contains("bad:2") == true)
        #expect(try notes.count() == 2)
        try Data("{\"_id\":\"a\"}\nnonsense".utf8).write(to: file("bad"))
        expect(.decodingFailed) { try notes.import(from: file("bad")) }
    }

    // MARK: Files

    @Test func anErrorLeavesTheFormerFile() throws {
        struct Stop: Error {}
        let notes = try db.collection("notes")
        try Data("former".utf8).write(to: file("notes.jsonl"))
        #expect(throws: Stop.self) {
            try notes.export(to: file("notes.jsonl")) { _ in throw Stop() }
        }
        #expect(try String(contentsOf: file("notes.jsonl"), encoding: .utf8) == "former")
        let names = try FileManager.default.contentsOfDirectory(atPath: shop.directory.path)
            .sorted()
        #expect(names == ["notes.jsonl", "shop.cblite2"])
    }

    @Test func aReplacedFileKeepsItsPermissionsAndItsLink() throws {
        let notes = try db.collection("notes")
        try Data().write(to: file("secret.jsonl"))
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600],
            ofItemAtPath: file("secret.jsonl").path
        )
        try FileManager.default.createSymbolicLink(
            atPath: file("link.jsonl").path,
            withDestinationPath: "secret.jsonl"
        )
        try notes.export(to: file("link.jsonl"))
        let attributes = try FileManager.default.attributesOfItem(
            atPath: file("secret.jsonl").path
        )
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let link = try FileManager.default.destinationOfSymbolicLink(
            atPath: file("link.jsonl").path
        )
        #expect(link == "secret.jsonl")
        #expect(try Data(contentsOf: file("secret.jsonl")).count > 20)
    }

    @Test func theTargetOfALinkIsCreated() throws {
        try FileManager.default.createSymbolicLink(
            atPath: file("link.jsonl").path,
            withDestinationPath: "new.jsonl"
        )
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            try db.collection("notes").export(to: file("link.jsonl")) { _ in throw Stop() }
        }
        #expect(!FileManager.default.fileExists(atPath: file("new.jsonl").path))
        try db.collection("notes").export(to: file("link.jsonl"))
        #expect(try Data(contentsOf: file("new.jsonl")).count > 20)
        let names = try FileManager.default.contentsOfDirectory(atPath: shop.directory.path)
        #expect(names.sorted() == ["link.jsonl", "new.jsonl", "shop.cblite2"])
    }

    @Test func pipesAndPathsOfDirectoriesAreRefused() throws {
        let notes = try db.collection("notes")
        let pipe = file("pipe.jsonl")
        try FileSystem.makePipe(pipe.path)
        expect(.invalidArgument) { try notes.export(to: pipe) }
        let folder = shop.url.appending(path: "missing", directoryHint: .isDirectory)
        expect(.invalidArgument) { try notes.export(to: folder) }
    }

    @Test func aFileThatMayNotBeWrittenIsKept() throws {
        // Root may write everything.
        guard getuid() != 0 else { return }
        let notes = try db.collection("notes")
        try Data("former".utf8).write(to: file("kept.jsonl"))
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o444],
            ofItemAtPath: file("kept.jsonl").path
        )
        expect(.permissionDenied) { try notes.export(to: file("kept.jsonl")) }
        #expect(try String(contentsOf: file("kept.jsonl"), encoding: .utf8) == "former")
    }

    @Test func aDeviceIsWrittenToAndNotReplaced() throws {
        let null = URL(filePath: "/dev/null")
        let written = try db.collection("notes").export(to: null)
        #expect(written.documentCount == 2)
        let attributes = try FileManager.default.attributesOfItem(atPath: null.path)
        #expect(attributes[.type] as? FileAttributeType == .typeCharacterSpecial)
    }

    @Test func problemsWithFilesAreNamed() throws {
        let notes = try db.collection("notes")
        let nowhere = file("missing/notes.jsonl")
        expect(.notFound) { try notes.export(to: nowhere) }
        expect(.notFound) { try notes.import(from: nowhere) }
        expect(.notFound) { _ = try db.dump(to: nowhere) }
        expect(.notFound) { _ = try Database.restore(from: [nowhere], to: "x", in: shop.url) }
        expect(.invalidArgument) { _ = try Database.restore(from: [], to: "x", in: shop.url) }
        expect(.invalidArgument) { _ = try Database.restore(from: [nowhere], to: "", in: shop.url) }
        expect(.invalidArgument) { try notes.export(to: shop.url) }
        expect(.invalidArgument) {
            try notes.export(to: file("notes.csv"), includingBlobs: true)
        }
        expect(.invalidArgument) { try notes.import(from: shop.url, .init(format: .csv())) }
        try Data("log".utf8).write(to: file("all.sqlite-wal"))
        expect(.alreadyExists) { try db.export(to: file("all.sqlite")) }
        expect(.invalidArgument) { try db.export(to: file("all.csv")) }
        let page = try #require(URL(string: "https://example.com/a.jsonl"))
        expect(.invalidArgument) { try notes.export(to: page) }
        expect(.invalidArgument) { try notes.import(from: page) }
        try notes.export(to: file("notes.jsonl"))
        try db.close()
        expect(.notOpen) { try notes.export(to: file("notes.jsonl")) }
        expect(.notOpen) { try notes.import(from: file("notes.jsonl")) }
        expect(.notOpen) { _ = try db.dump(to: file("shop.dump")) }
    }

    // MARK: Dumps

    @Test func aDumpAndItsContinuationRestoreTheDatabase() throws {
        let (monday, tuesday) = (file("monday.dump"), file("tuesday.dump"))
        let first = try db.dump(to: monday)
        #expect(first.documentCount == 3)
        let notes = try db.collection("notes")
        try notes.delete("1")
        let second = try db.dump(to: tuesday, since: monday)
        #expect(second.documentCount == 1)
        let restored = try Database.restore(
            from: [monday, tuesday],
            to: "again",
            in: shop.url,
            key: .password("open")
        )
        #expect(restored.documentCount == 4)
        let copy = try Database.open("again", in: shop.url, .init(key: .password("open")))
        #expect(try copy.collection("notes").count() == 1)
        #expect(
            try copy.collection("notes").get("2")?.revision == notes.get("2")?.revision
        )
        expect(.alreadyExists) {
            _ = try Database.restore(from: [monday], to: "again", in: shop.url)
        }
    }

    @Test func damagedDumpsAreRefusedWithTheirLine() throws {
        let dump = file("shop.dump")
        #expect(try db.dump(to: dump).isComplete)
        let text = try String(contentsOf: dump, encoding: .utf8)
        try Data(text.replacing("Milk", with: "Mill").utf8).write(to: dump)
        do {
            _ = try Database.restore(from: [dump], to: "again", in: shop.url)
            Issue.record("a damaged dump was restored")
        } catch DivanError.decodingFailed {
            #expect(!Database.exists("again", in: shop.url))
        }
        try Data(text.dropLast(5).utf8).write(to: dump)
        expect(.invalidArgument) { _ = try db.dump(to: file("next"), since: dump) }
        let other = try Database.inMemory()
        try Data(text.utf8).write(to: dump)
        expect(.invalidArgument) { _ = try other.dump(to: file("next"), since: dump) }
    }

    @Test func aDumpDoesNotReplaceTheOneThatItContinues() throws {
        let dump = file("shop.dump")
        #expect(try db.dump(to: dump).isComplete)
        try FileManager.default.linkItem(at: dump, to: file("same.dump"))
        for target in [dump, file("same.dump")] {
            expect(.invalidArgument) { _ = try db.dump(to: target, since: dump) }
        }
        let restored = try Database.restore(from: [dump], to: "again", in: shop.url)
        #expect(restored.documentCount == 3)
    }

    @Test func aDumpContainsOnlyCommittedDocuments() throws {
        let dump = file("shop.dump")
        expect(.insideTransaction) {
            try db.write { _ in _ = try db.dump(to: dump) }
        }
        #expect(!FileManager.default.fileExists(atPath: dump.path))
    }

    @Test func anImportNeedsTheCollectionAndTheSchemeOfItsRevisions() throws {
        let notes = try db.collection("notes")
        try notes.export(to: file("notes.jsonl"))
        try db.deleteCollection("notes")
        expect(.notOpen) { try notes.import(from: file("notes.jsonl")) }
        #expect(try db.existingCollection("notes") == nil)
        var options = Database.Options()
        options.revisions = .versionVectors
        let vectors = try Database.inMemory(options)
        expect(.invalidArgument) {
            try vectors.import(
                from: file("notes.jsonl"),
                .init(format: .couch(keepingRevisions: true))
            )
        }
    }

    // MARK: Tasks

    @Test func cancellingTheTaskStopsAnExport() async throws {
        let (db, file) = (db, file("all"))
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let isCancelled = DispatchSemaphore(value: 0)
        let task = Task {
            try await db.export(to: file) { _ in
                begin.yield()
                isCancelled.wait()
            }
        }
        for await _ in begun { break }
        task.cancel()
        isCancelled.signal()
        // The check before the second document stops it.
        await #expect { try await task.value } throws: { DivanError.cancelled ~= $0 }
        #expect(!FileManager.default.fileExists(atPath: file.path))
        let early = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await db.dump(to: file)
        }
        await #expect { try await early.value } throws: { DivanError.cancelled ~= $0 }
    }

    @Test func progressCountsDocuments() async throws {
        typealias Progress = Database.ExchangeProgress
        let reports = Mutex<[Progress]>([])
        try await db.export(to: file("all")) { report in
            reports.withLock { $0.append(report) }
        }
        let expected = (1...3).map { Progress(documentCount: $0, totalCount: 3) }
        #expect(reports.withLock { $0 } == expected)
        let imported = Mutex(Progress())
        try await Database.inMemory().import(from: file("all")) { report in
            imported.withLock { $0 = report }
        }
        #expect(imported.withLock { $0 } == Progress(documentCount: 3))
        #expect(imported.withLock { $0.fractionCompleted } == nil)
        let dumped = Mutex<[Int?]>([])
        let dump = try await db.dump(to: file("dump")) { report in
            dumped.withLock { $0.append(report.totalCount) }
        }
        #expect(dump.isComplete)
        #expect(dumped.withLock { !$0.isEmpty && $0.allSatisfy { $0 == 3 } })
        let restored = try await Database.restore(from: [file("dump")], to: "b", in: shop.url)
        #expect(restored.documentCount == 3)
    }
}
