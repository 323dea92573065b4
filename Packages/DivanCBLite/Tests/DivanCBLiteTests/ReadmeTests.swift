import DivanCBLite
import DivanRevisions
import Testing

/// The README's example, and other kinds of bundles.
@Suite struct ReadmeTests {
    @Test
    func `the README example works`() throws {
        let sample = try Sample("manykeys-3.2")
        let path = sample.path
        var count = 0
        let bundle = try CBLiteBundle(directory: path)
        let owner = SourceID(bytes: bundle.facts.publicUUID) ?? .me
        let reader = RecordReader(keys: bundle.facts.keys, owner: owner)
        for collection in bundle.collections {
            try bundle.forEachRecord(in: collection) { record in
                let document = try reader.document(record)
                print(
                    document.documentID,
                    document.current?.id ?? "-",
                    document.history.isConflicted
                )
                #expect(!document.history.isConflicted)
                count += 1
            }
        }
        #expect(count == sample.documents.count)
    }
}
