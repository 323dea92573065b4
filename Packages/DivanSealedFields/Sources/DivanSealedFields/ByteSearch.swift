import DivanPlatform

extension Span<UInt8> {
    /// Whether the bytes contain an ASCII text; the search looks for its byte at `rare`, which is rare.
    func contains(_ text: StaticString, by rare: Int) -> Bool {
        let count = text.utf8CodeUnitCount
        return withUnsafeBufferPointer { bytes in
            guard let start = bytes.baseAddress, bytes.count >= count, rare < count else {
                return false
            }
            // Both searches stay between `place` and the end, `count` bytes of each text.
            var place = rare
            let last = bytes.count - count + rare
            while place <= last {
                let left = last - place + 1
                guard
                    let found = Memory.position(
                        of: text.utf8Start[rare],
                        in: start + place,
                        count: left
                    )
                else { return false }
                place += found
                if Memory.areEqual(start + place - rare, text.utf8Start, count: count) {
                    return true
                }
                place += 1
            }
            return false
        }
    }

    /// Whether a letter, `@` or `$` is written as `\u00…`, which is only done to hide a word.
    var hidesLetters: Bool {
        guard contains(#"\u00"#, by: 0) else { return false }
        return contains(#"\u006"#, by: 0) || contains(#"\u007"#, by: 0)
            || contains(#"\u0024"#, by: 0) || contains(#"\u0040"#, by: 0)
    }
}
