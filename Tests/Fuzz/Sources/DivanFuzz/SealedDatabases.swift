@_spi(Stores) import CouchbaseLiteSwift
import DivanDatabase
import DivanRevisions
import DivanTestKit
import Foundation

/// However an encrypted database and its log are changed, it opens with the documents of one commit or is
/// reported as damaged or as not having that key.
enum SealedDatabases: FuzzTarget {
    static let name = "sealed-databases"

    static func violation(of input: [UInt8]) -> String? {
        do {
            let honest = try UndamagedSample.shared.get()
            var reader = InputReader(input)
            let choice = reader.byte()
            var (file, log) = (honest.file, honest.log)
            if choice & 1 == 0 {
                file = FileEdits.apply(&reader, to: file)
            } else {
                log = FileEdits.apply(&reader, to: log)
            }
            let home = try TemporaryDirectory()
            let path = home.file("a.cblite2")
            try writeBundle(file, at: path)
            if choice & 2 == 0 { try Data(log).write(to: URL(filePath: path + "/db.sqlite3-wal")) }
            let isAsItWas = file == honest.file && log == honest.log && choice & 2 == 0
            return try verdict(path, isAsItWas)
        } catch {
            return "\(error)"
        }
    }

    private static func verdict(_ path: String, _ isAsItWas: Bool) throws -> String? {
        do {
            let store = try Store.open(
                directory: path,
                options: try UndamagedSample.options(create: false)
            )
            defer { try? store.close() }
            let states = try store.read { reader in
                try (0..<UndamagedSample.documentCount).map { number in
                    let id = DocumentID(unchecked: "d\(number)")
                    return try reader.document(id, in: .default)?.body
                }
            }
            let first = isAsItWas ? UndamagedSample.commitCount : 1
            let isWhole = (first...UndamagedSample.commitCount).contains { commit in
                states.indices.allSatisfy { states[$0] == UndamagedSample.body($0, commit) }
            }
            return isWhole ? nil : "documents that no commit left"
        } catch let error as StoreError {
            if isAsItWas { return "as it was, and refused: \(error)" }
            switch error.code {
            case .corrupt, .notADatabase, .damagedDocument, .tooNew, .noSuchDatabase, .io, .sqlite:
                return error.description.isEmpty ? "an error without a word" : nil
            default: return "told as \(error)"
            }
        }
    }

    static func seeds() throws -> [[UInt8]] {
        let honest = try UndamagedSample.shared.get()
        let inFile = [0, 3, 4, 16, 20, 24, 4_064, 4_076, 4_080, 4_096, honest.file.count - 1]
        let inLog = [0, 8, 16, 24, 32, 36, 40, 56, 4_120, 4_152, honest.log.count - 1]
        // What is edited: the file with its log present, the log, the file alone.
        var seeds: [[UInt8]] = [[0], [1], [2]]
        for (choice, places) in [(UInt8(0), inFile), (1, inLog), (2, inFile)] {
            for place in places {
                seeds += FileEdits.seeds(at: place).map { [choice] + $0 }
            }
        }
        return seeds
    }
}

/// A database whose file has one commit and whose log has two more.
private struct UndamagedSample {
    static let documentCount = 20
    static let commitCount = 3

    let file: [UInt8]
    let log: [UInt8]

    static let shared = Swift.Result { try UndamagedSample() }

    static func options(create: Bool) throws -> StoreOptions {
        let key = EncryptionKey.key(Data(repeating: 7, count: 32))
        return StoreOptions(create: create, sealing: try key.sealing())
    }

    static func body(_ number: Int, _ commit: Int) -> [UInt8] {
        Array(#"{"commit":\#(commit),"n":\#(number)}"#.utf8)
    }

    private init() throws {
        let home = try TemporaryDirectory()
        let path = home.file("a.cblite2")
        let first = try Store.open(directory: path, options: try Self.options(create: true))
        try Self.commit(1, to: first)
        try first.close()
        let second = try Store.open(directory: path, options: try Self.options(create: false))
        defer { try? second.close() }
        for number in 2...Self.commitCount { try Self.commit(number, to: second) }
        file = [UInt8](try Data(contentsOf: URL(filePath: path + "/db.sqlite3")))
        log = [UInt8](try Data(contentsOf: URL(filePath: path + "/db.sqlite3-wal")))
    }

    private static func commit(_ commit: Int, to store: Store) throws {
        try store.write { writer in
            for number in 0..<documentCount {
                let id = DocumentID(unchecked: "d\(number)")
                _ = try writer.save(id, in: .default, body: body(number, commit))
            }
        }
    }
}
