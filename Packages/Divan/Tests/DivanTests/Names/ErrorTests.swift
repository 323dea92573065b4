import CouchbaseLiteSwift
import Divan
import Foundation
import Testing

/// The error type: patterns, texts and codes.
@Suite struct ErrorTests {
    private func caught(_ body: () throws -> Void) -> DivanError? {
        do {
            try body()
            return nil
        } catch {
            return error as? DivanError
        }
    }

    @Test("A code matches as a pattern")
    func patterns() throws {
        let things = try Divan.Database.inMemory().documents
        do {
            try things.update("none") { $0.a = 1 }
            Issue.record("nothing was thrown")
        } catch DivanError.conflict {
            Issue.record("the wrong code")
        } catch DivanError.notFound {
        }
        do {
            try things.update("none") { $0.a = 1 }
        } catch let error as DivanError where error.code == .notFound {
            #expect(!error.canRetry)
        }
        func cancel() throws { throw CancellationError() }
        do { try cancel() } catch DivanError.cancelled {}
    }

    @Test("errors.md lists every code with its value, and whether it usually passes")
    func page() throws {
        let root = #filePath.components(separatedBy: "/Packages/")[0]
        let page = try String(contentsOfFile: "\(root)/Docs/errors.md", encoding: .utf8)
        for code in DivanError.Code.allCases {
            let sample = DivanError(code, place: "", problem: "")
            let value = sample.canRetry ? "\(code.rawValue), *retry*" : "\(code.rawValue)"
            #expect(page.contains("\n| `\(code)` | \(value) | "), "\(code)")
        }
    }

    /// With typed throws, Swift 6.3.1 crashes while it compiles either function.
    @Test("A function can match one code and leave other errors to its caller")
    func otherErrors() async throws {
        let things = try Divan.Database.inMemory().documents
        func overwrite() throws -> Bool {
            do {
                var document = Divan.Document(id: "a")
                document.n = 1
                try things.save(document, ifRevision: nil)
                return true
            } catch DivanError.conflict {
                return false
            }
        }
        func insert() async throws -> Bool {
            do {
                var document = Divan.Document(id: "a")
                document.n = 1
                try await things.save(document, ifRevision: nil)
                return true
            } catch let error as DivanError where error.code == .conflict {
                return false
            }
        }
        #expect(try overwrite())
        #expect(try await !insert())
    }

    @Test("Printing an error shows place, problem and remedy once")
    func text() throws {
        let error = DivanError(
            .conflict,
            place: "document 1",
            problem: "it was changed",
            remedy: "read it again"
        )
        #expect("\(error)" == "document 1: it was changed; read it again")
        #expect(String(reflecting: error).isEmpty == false)
        #expect(error.localizedDescription == "\(error)")
        #expect(error.failureReason == "it was changed")
        #expect(error.recoverySuggestion == "read it again")
        #expect((error as NSError).domain == "Divan")
        #expect((error as NSError).code == 3)
        #expect(DivanError(.busy, problem: "taken").description == "taken")
        #expect(error.canRetry)
    }

    @Test("Every code has its own number and static member")
    func codes() {
        let numbers = DivanError.Code.allCases.map(\.rawValue)
        #expect(Set(numbers).count == numbers.count)
        #expect(DivanError.Code.allCases.count == 31)
        #expect(DivanError.notFound == .notFound)
    }

    @Test("Errors of storage have their codes")
    func storage() throws {
        let disk = try DiskDatabase()
        let database = disk.database
        #expect(
            caught { _ = try Divan.Database.open("none", in: disk.url, .init(mustExist: true)) }?
                .code == .notFound
        )
        let document = Divan.Document(id: "1")
        #expect(
            caught { try database.documents.save(Divan.Document(id: "_x")) }?.code
                == .invalidArgument
        )
        #expect(
            caught { try database.documents.save(Divan.Document(["_id": 1])) }?.code
                == .invalidArgument
        )
        let readOnly = try disk.reopened(.init(isReadOnly: true))
        #expect(caught { try readOnly.documents.save(document) }?.code == .readOnly)
        try readOnly.close()
        #expect(
            caught { try database.write { _ in try database.close() } }?.code == .insideTransaction
        )
        #expect(caught { _ = try disk.reopened(.init(key: .password("x"))) }?.code == .wrongKey)
        try database.close()
        #expect(caught { _ = try database.documents }?.code == .notOpen)
        let file = disk.url.appending(path: "x.cblite2")
        #expect(caught { _ = try Divan.Database.open(disk.url) }?.code == .invalidArgument)
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        try Data("no database, but long enough to be read".utf8).write(
            to: file.appending(path: "db.sqlite3")
        )
        let code = caught { _ = try Divan.Database.open(file) }?.code
        #expect(code == .notADatabase || code == .wrongKey)
    }

    @Test("An encrypted database opens with its key only, and changes it")
    func keys() throws {
        let disk = try DiskDatabase("secret", .init(key: .password("one")))
        try disk.database.documents.save(Divan.Document(id: "1", ["a": 1]))
        try disk.database.changeKey(.bytes(Data(repeating: 7, count: 32)))
        try disk.database.close()
        #expect(caught { _ = try disk.reopened() }?.code == .wrongKey)
        #expect(caught { _ = try disk.reopened(.init(key: .password("one"))) }?.code == .wrongKey)
        let again = try disk.reopened(.init(key: .bytes(Data(repeating: 7, count: 32))))
        #expect(try again.documents.get("1")?.a == 1)
        try again.verify()
        try again.delete()
        #expect(caught { _ = try disk.reopened(.init(mustExist: true)) }?.code == .notFound)
        #expect("\(Divan.EncryptionKey.password("abc"))" == "EncryptionKey(hidden)")
    }

    @Test func `an error of each kind can be thrown, expected and matched`() {
        #expect(throws: DivanError.notFound) { throw DivanError.notFound }
        #expect(DivanError.tooLarge == DivanError(.tooLarge, problem: "9 bytes"))
        #expect(DivanError.tooLarge != DivanError.busy)
        do {
            throw DivanError(.conflict, place: "document 1", problem: "it was changed")
        } catch DivanError.notFound {
            Issue.record("another code matches")
        } catch DivanError.conflict {
        } catch {
            Issue.record("the code does not match")
        }
        #expect(DivanError.cancelled ~= CancellationError())
        for code in DivanError.Code.allCases {
            #expect(!DivanError(code, problem: "x").description.isEmpty)
        }
        #expect(DivanError.diskFull.description == "the disk is full")
    }

    @Test func `errors of queries say what is missing`() throws {
        let notes = try Database.inMemory().collection("notes")
        let parameter = #expect(throws: DivanError.invalidQuery) {
            try notes.database.query("SELECT title FROM notes", ["titel": "x"])
        }
        #expect(parameter?.problem == "the query has no parameter $titel")
        let index = #expect(throws: DivanError.missingIndex) {
            try notes.search("milk", index: "words")
        }
        #expect(index?.problem == "there is no full-text index words")
        #expect(index?.remedy == "create it with createIndex(_:_:)")
    }
}
