/// Finds sources that occur twice in one vector, with a table of positions that is at most half
/// full.
///
/// A vector of a thousand sources is read and checked with each save of its document, so
/// the table is small enough to stay in the processor's cache.
enum RepeatedSources {
    /// Derived from the per-process seed of Swift's hashing: nobody can send sources that all share one
    /// place.
    private static let factors = (factor(1), factor(2))

    private static func factor(_ number: Int) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(number)
        return UInt64(bitPattern: Int64(hasher.finalize())) | 1
    }

    /// Finds sources that occurred before.
    ///
    /// - Parameter versions: At most `VersionLimits.receivedCount`.
    /// - Returns: Their positions, in ascending order; at most two, as a valid vector has at most one.
    static func places(in versions: [Version]) -> [Int] {
        let capacity = max(versions.count, 4)
        let bitCount = UInt64(UInt64.bitWidth - capacity.leadingZeroBitCount + 1)
        // Indices of `versions`, counted from 1; 0 marks a free place.
        var table = [UInt16](repeating: 0, count: 1 << bitCount)
        var places = table.mutableSpan
        let (factors, shift, last) = (factors, 64 - bitCount, places.count - 1)
        var found: [Int] = []
        for index in versions.indices {
            let source = versions[index].source
            let (high, low) = source.words
            let product = (high ^ factors.0).multipliedFullWidth(by: low ^ factors.1)
            var place = Int(truncatingIfNeeded: (product.high ^ product.low) >> shift)
            var isNew = true
            while case let occupant = Int(places[place]), occupant > 0, isNew {
                isNew = versions[occupant - 1].source != source
                place = (place + 1) & last
            }
            if isNew {
                places[place] = UInt16(truncatingIfNeeded: index + 1)
            } else {
                found.append(index)
                guard found.count < 2 else { break }
            }
        }
        return found
    }
}
