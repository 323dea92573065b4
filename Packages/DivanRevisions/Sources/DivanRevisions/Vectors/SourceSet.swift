/// Sources that occur in one vector, for finding one that occurs twice: a table of places in it, filled to
/// a half at most.
///
/// A vector of a thousand sources is read, and looked through for this, with each save of its document:
/// the table is small enough to stay near the processor.
struct SourceSet {
    /// From the seed that Swift's hashing has in each process: nobody can send sources that all have one
    /// place.
    private static let factors = (factor(1), factor(2))

    private let versions: [Version]
    /// Indices of `versions`, counted from 1; 0 marks a place that is free.
    ///
    /// `VersionLimits.receivedCount` of them fit.
    private var table: [UInt16]
    private let shift: UInt64

    /// Creates an empty set with room for the sources of all these versions.
    init(of versions: [Version]) {
        self.versions = versions
        let capacity = max(versions.count, 4)
        let bitCount = UInt64(UInt64.bitWidth - capacity.leadingZeroBitCount + 1)
        table = Array(repeating: 0, count: 1 << bitCount)
        shift = 64 - bitCount
    }

    private static func factor(_ number: Int) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(number)
        return UInt64(bitPattern: Int64(hasher.finalize())) | 1
    }

    /// Adds the source of a version; false where it was there.
    mutating func insert(_ index: Int) -> Bool {
        let source = versions[index].source
        let (high, low) = source.words
        let sum = (high &* Self.factors.0) &+ (low &* Self.factors.1)
        var place = Int(truncatingIfNeeded: sum >> shift)
        while case let occupant = Int(table[place]), occupant > 0 {
            if versions[occupant - 1].source == source { return false }
            place = (place + 1) & (table.count - 1)
        }
        table[place] = UInt16(truncatingIfNeeded: index + 1)
        return true
    }
}
