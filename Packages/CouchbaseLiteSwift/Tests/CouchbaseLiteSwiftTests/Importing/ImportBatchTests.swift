import DivanCBLite
import DivanDatabase
import DivanRevisions
import Testing

@testable import CouchbaseLiteSwift

/// What waits to be stored is bounded; internal, because only the memory of the process would show it.
@Suite struct ImportBatchTests {
    @Test func `bodies of old revisions count toward the batch size`() throws {
        let sample = try ForeignSample("revtree-3.2")
        let bundle = try CBLiteBundle(directory: sample.path)
        let reader = RecordReader(keys: bundle.facts.keys, owner: .me)
        var batch = ImportBatch(.default)
        var byteCount = 0
        for collection in bundle.collections where collection.name == "_default" {
            try bundle.forEachRecord(in: collection) { record in
                let document = try reader.document(record)
                batch.add(document)
                for revision in document.history.revisionsWithBody {
                    byteCount += revision.body?.count ?? 0
                }
            }
        }
        #expect(batch.byteCount == byteCount && byteCount > 0)
    }
}
