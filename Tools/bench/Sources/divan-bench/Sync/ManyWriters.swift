import DivanDatabase
import DivanRevisions

/// A document in memory written by a thousand databases, each an hour after the previous one.
struct ManyWriters {
    static let sourceCount = 1_000

    private let store = Store.inMemory(scheme: .vectors)

    init() throws {
        // From November 2023 on, without the bits that count within one moment.
        let start: UInt64 = (1_700_000_000_000_000_000 >> 16) << 16
        let hour: UInt64 = (3_600_000_000_000 >> 16) << 16
        var random = Xorshift()
        let versions = try (0..<Self.sourceCount).map { number in
            // As databases generate them.
            let bytes = (0..<16).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            guard let source = SourceID(bytes: bytes),
                let version = Version(time: start + hour * UInt64(number), source: source)
            else { throw BenchFailure("no version") }
            return RevisionID(version)
        }
        let revision = RemoteRevision(
            documentID: "doc",
            revisionID: versions[Self.sourceCount - 1],
            history: versions.dropLast().reversed(),
            body: Array("{}".utf8)
        )
        try store.write { _ = try $0.insert(revision, in: .default) }
    }

    /// Saves the document this many times, in one transaction.
    func save(_ count: Int) throws {
        try store.write { writer in
            for number in 0..<count {
                let body = Array("{\"n\":\(number)}".utf8)
                _ = try writer.save("doc", in: .default, body: body)
            }
        }
    }
}
