import DivanDatabase
import DivanJSON
import DivanReplicator
import DivanRevisions

let storeShapes: [Shape] = [
    Shape("SequenceSet", "ranges in descending order", from: 2_000) { count in
        let ranges = (0..<UInt64(count)).reversed().map { (3 * $0)..<(3 * $0 + 1) }
        return { _ = SequenceSet(ranges) }
    },
    Shape("Checkpoint", "a sparse set in descending order", from: 2_000) { count in
        let pairs = (1...count).reversed().map { "\(3 * $0),1" }.joined(separator: ",")
        let body = Array("{\"localCompleted\":[\(pairs)]}".utf8)
        return { _ = Checkpoint(json: body) }
    },
    Shape("RemoteSequences", "announced in order, finished backwards", from: 2_000) { count in
        let sequences = (0..<UInt64(count)).map { RemoteSequence($0) }
        return { finish(sequences.reversed(), announcedAs: sequences) }
    },
    Shape("BlobReferences", "items of an array under a long key", from: 4_000) { count in
        let items = String(repeating: "0,", count: count) + "0"
        let key = String(repeating: "k", count: count)
        let body = try JSON(parsing: "{\"\(key)\":[\(items)]}")
        return { _ = BlobReferences.all(in: body) }
    },
    Shape("BlobReferences", "blobs under a long key", from: 1_000) { count in
        let blob = "{\"@type\":\"blob\",\"digest\":\"sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA=\"}"
        let items = Array(repeating: blob, count: count).joined(separator: ",")
        let key = String(repeating: "k", count: 40 * count)
        let body = try JSON(parsing: "{\"\(key)\":[\(items)]}")
        return { _ = BlobReferences.all(in: body) }
    },
    Shape("RevisionID", "texts of a long history", from: 2_000) { count in
        let texts = (1...count).map { "\($0)-\(digits($0))\(digits($0))aabb" }
        return { for text in texts { _ = RevisionID(text) } }
    },
]

private func finish(_ finished: [RemoteSequence], announcedAs announced: [RemoteSequence]) {
    var sequences = RemoteSequences()
    for sequence in announced { sequences.announce(sequence, isFinished: false) }
    for sequence in finished { sequences.finish(sequence) }
}
