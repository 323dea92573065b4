/// Looks for sources that occur twice in one vector: with a table of places in it, filled to a half at
/// most.
///
/// A vector of a thousand sources is read, and looked through for this, with each save of its document:
/// the table is small enough to stay near the processor.
enum RepeatedSources {
    /// From the seed that Swift's hashing has in each process: nobody can send sources that all have one
    /// place.
    private static let factors = (factor(1), factor(2))

    private static func factor(_ number: Int) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(number)
        return UInt64(bitPattern: Int64(hasher.finalize())) | 1
    }

    /// Finds sources that occurred before.
    ///
    /// - Parameter versions: `VersionLimits.receivedCount` at most.
    /// - Returns: Where they stand, in ascending order; two at most, as a sound vector has one.
    static func places(in versions: [Version]) -> [Int] {
        let capacity = max(versions.count, 4)
        let bitCount = UInt64(UInt64.bitWidth - capacity.leadingZeroBitCount + 1)
        // Indices of `versions`, counted from 1; 0 marks a place that is free.
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
