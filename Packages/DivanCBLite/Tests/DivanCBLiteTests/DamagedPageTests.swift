import DivanCBLite
import DivanPlatform
import DivanRevisions
import DivanTestKit
import Foundation
import Testing

/// A damaged page costs the documents on it and no others; a file that another program may change is refused.
@Suite(.timeLimit(.minutes(5))) struct DamagedPageTests {
    private static let pageByteCount = 4_096

    /// The documents of all collections with what could be read of each.
    private func documents(of bundle: CBLiteBundle) throws -> [String: Bool] {
        let owner = try #require(SourceID(bytes: bundle.facts.publicUUID))
        let reader = RecordReader(keys: bundle.facts.keys, owner: owner)
        var found: [String: Bool] = [:]
        for collection in bundle.collections {
            try bundle.forEachRecord(in: collection) { record in
                let id = String(decoding: record.key, as: UTF8.self)
                found["\(collection.name) \(id)"] = (try? reader.document(record)) != nil
            }
        }
        return found
    }

    @Test(arguments: ["revtree-3.2", "vectors-4.1"])
    func `a damaged page does not affect documents on other pages`(name: String) throws {
        let sample = try Sample(name)
        let whole = try documents(of: CBLiteBundle(directory: sample.path))
        let file = URL(filePath: sample.path + "/db.sqlite3")
        let bytes = try Data(contentsOf: file)
        let pageCount = bytes.count / Self.pageByteCount
        var openedCount = 0
        let pages = stride(from: 1, to: pageCount, by: TestLength.of(6, long: 1))
        for page in pages {
            var damaged = bytes
            let start = page * Self.pageByteCount
            damaged.replaceSubrange(
                start..<start + Self.pageByteCount,
                with: repeatElement(0xA5, count: Self.pageByteCount)
            )
            try damaged.write(to: file)
            // Pages with the names of tables or the database's own data leave nothing to read.
            guard let bundle = try? CBLiteBundle(directory: sample.path) else { continue }
            openedCount += 1
            let found = try documents(of: bundle)
            let lost = whole.filter { $0.value && found[$0.key] != true }.keys
            #expect(bundle.damage != nil || lost.count <= 1, "page \(page)")
            let silent = lost.filter { found[$0] == nil }
            #expect(silent.isEmpty, "page \(page): \(silent.count) documents are lost silently")
        }
        let triedCount = pages.reduce(0) { count, _ in count + 1 }
        #expect(openedCount > triedCount / 2, "\(openedCount) of \(triedCount)")
    }

    @Test(arguments: ["revtree-3.2", "vectors-4.1"])
    func `a truncated file is read as far as its pages go`(name: String) throws {
        let sample = try Sample(name)
        let file = URL(filePath: sample.path + "/db.sqlite3")
        let bytes = try Data(contentsOf: file)
        var openedCount = 0
        let cuts = [1, 100, Self.pageByteCount, Self.pageByteCount + 1, 3 * Self.pageByteCount]
        for cut in cuts + [bytes.count / 4] {
            try bytes.dropLast(cut).write(to: file)
            // Without the pages that name the tables nothing can be read.
            guard let bundle = try? CBLiteBundle(directory: sample.path) else { continue }
            openedCount += 1
            #expect(bundle.damage != nil, "\(cut) bytes are missing")
            #expect(try documents(of: bundle).values.contains(true), "\(cut) bytes are missing")
        }
        #expect(openedCount >= 4, "\(openedCount) of \(cuts.count + 1)")
        // The original stays as it is.
        #expect(try Data(contentsOf: file).count == bytes.count - bytes.count / 4)
    }

    @Test func `a file that is open for writing is refused`() throws {
        let sample = try Sample("manykeys-3.2")
        let path = sample.path + "/db.sqlite3"
        let reading = try FileDescriptor.open(path, .readOnly)
        _ = try CBLiteBundle(directory: sample.path)
        reading.close()
        let writing = try FileDescriptor.open(path, .readWrite)
        let error = #expect(throws: CBLiteError.self) {
            try CBLiteBundle(directory: sample.path)
        }
        #expect(error == .inUse)
        writing.close()
        _ = try CBLiteBundle(directory: sample.path)
    }
}
