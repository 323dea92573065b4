/// Units of work, roughly bytes, known and done.
///
/// Peers report the sizes; each counts as at most 4 GiB, so that no sum can overflow.
struct Progress: Equatable {
    var completedUnitCount: UInt64 = 0
    var totalUnitCount: UInt64 = 0
    var documentCount: UInt64 = 0
    /// Documents that are or were in transit, in either direction.
    var wantedDocumentCount: UInt64 = 0

    mutating func expect(_ byteCount: Int) {
        totalUnitCount += Self.units(byteCount)
    }

    mutating func expectDocument(_ byteCount: Int) {
        wantedDocumentCount += 1
        expect(byteCount)
    }

    mutating func complete(_ byteCount: Int) {
        completedUnitCount = min(totalUnitCount, completedUnitCount + Self.units(byteCount))
    }

    private static func units(_ byteCount: Int) -> UInt64 {
        UInt64(min(max(1, byteCount), 1 << 32))
    }
}
