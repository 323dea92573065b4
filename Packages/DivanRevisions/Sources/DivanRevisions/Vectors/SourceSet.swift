/// Sources that occur in one vector, for finding one that occurs twice: a table of places, filled to a
/// half at most.
///
/// A vector of a thousand sources is read, and looked through for this, with each save of its document.
struct SourceSet {
    /// From the seed that Swift's hashing has in each process: nobody can send sources that all have one
    /// place.
    private static let factors = (factor(1), factor(2))

    private var table: [SourceID]
    private let shift: UInt64
    private var hasMe = false

    /// Has room for so many sources, none of which is `*` more than once.
    init(capacity: Int) {
        let bitCount = UInt64(UInt64.bitWidth - max(capacity, 4).leadingZeroBitCount + 1)
        table = Array(repeating: .me, count: 1 << bitCount)
        shift = 64 - bitCount
    }

    private static func factor(_ number: Int) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(number)
        return UInt64(bitPattern: Int64(hasher.finalize())) | 1
    }

    /// Adds a source; false where it was there.
    mutating func insert(_ source: SourceID) -> Bool {
        // It marks the places that are free.
        guard source != .me else {
            defer { hasMe = true }
            return !hasMe
        }
        let (high, low) = source.words
        let sum = (high &* Self.factors.0) &+ (low &* Self.factors.1)
        var place = Int(truncatingIfNeeded: sum >> shift)
        while table[place] != .me {
            if table[place] == source { return false }
            place = (place + 1) & (table.count - 1)
        }
        table[place] = source
        return true
    }
}
