/// The keys of an object, as 64 bits: proves for most keys that the object does not have them yet.
struct KeyFilter {
    private var bits: UInt64 = 0

    /// Adds a key by its first eight bytes and its length; false if an earlier one may have been the
    /// same.
    @inline(__always)
    mutating func add(_ prefix: UInt64, _ byteCount: Int) -> Bool {
        // The upper bits of a product depend on all bits of its factors.
        let hash = (prefix ^ UInt64(truncatingIfNeeded: byteCount)) &* 0x9E37_79B9_7F4A_7C15
        let bit: UInt64 = 1 &<< (hash &>> 58)
        let isNew = bits & bit == 0
        bits |= bit
        return isNew
    }
}
