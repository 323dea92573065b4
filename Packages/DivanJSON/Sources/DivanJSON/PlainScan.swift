/// A scan for nearly every received body: an object without white space, whose keys are ASCII
/// without escapes, and in which no object has many.
///
/// It finds such a text valid, and reports what it contains; about any other it reports nothing, and
/// `ValidatingScan` examines it from the beginning. So it may give up whenever it is unsure; it is
/// short because it remembers little and reports no problems.
///
/// Objects of an array mostly have the same keys in the same order. While one continues like its
/// neighbour, its keys are only compared with the neighbour's: they are plain and differ from each
/// other, as those do. One that is a twin of its neighbour is not even examined as an object.
///
/// Why the pointers are valid: a scan lives inside the closures that lend them. Every byte is read at
/// an index that was compared with `end`, a load of eight bytes at one that was compared with
/// `end - 8`, and keys are stored at indices below `keys.count` and read where they were stored.
struct PlainScan: ~Copyable {
    private struct Key {
        /// The first eight bytes, as `KeyOrderTracker.Record.prefix`.
        let prefix: UInt64
        let start: UInt32
        let byteCount: UInt32
    }

    /// As many as need no memory on the heap.
    private static let openKeysCount = 64
    private static let objectKeysCount = 32
    private let base: UnsafePointer<UInt8>
    private let end: Int
    private let depthLimit: Int
    /// The keys of the objects that are open.
    private let keys: UnsafeMutableBufferPointer<Key>
    private var summary = JSONSummary()

    /// What a text that is certainly valid contains; `nil` for others.
    static func summary(
        of text: UnsafeBufferPointer<UInt8>,
        depthLimit: Int
    ) -> JSONSummary? {
        guard let base = text.baseAddress, 8...Int(UInt32.max) ~= text.count,
            base[0] == UInt8(ascii: "{")
        else { return nil }
        return withUnsafeTemporaryAllocation(of: Key.self, capacity: openKeysCount) { keys in
            var scan = PlainScan(
                base: base,
                end: text.count,
                depthLimit: depthLimit,
                keys: keys
            )
            scan.summary.kind = .object
            scan.summary.isCanonical = false
            var neighbour = 0
            guard scan.object(at: 0, depth: 1, firstKey: 0, &neighbour) == text.count
            else { return nil }
            return scan.summary
        }
    }

    private init(
        base: UnsafePointer<UInt8>,
        end: Int,
        depthLimit: Int,
        keys: UnsafeMutableBufferPointer<Key>
    ) {
        self.base = base
        self.end = end
        self.depthLimit = depthLimit
        self.keys = keys
    }

    /// The position after an object; `depth` is the number of open containers including it.
    ///
    /// `lastKey` is the end of the keys, starting at `firstKey`, that the previous object in an array
    /// has left, and afterwards the end of this object's own; at most `firstKey` if there are none.
    private mutating func object(
        at start: Int,
        depth: Int,
        firstKey: Int,
        _ lastKey: inout Int
    ) -> Int? {
        let (base, end) = (base, end)
        var position = start &+ 1
        guard depth <= depthLimit, position < end else { return nil }
        var (nextKey, sievedKey, neighbourKey) = (firstKey, firstKey, lastKey)
        lastKey = firstKey
        if base[position] == UInt8(ascii: "}") { return position &+ 1 }
        var sieve = KeyFilter()
        while position < end, base[position] == UInt8(ascii: "\"") {
            let keyEnd: Int
            if nextKey < neighbourKey, let place = self.end(of: nextKey, at: position &+ 1) {
                keyEnd = place
            } else {
                neighbourKey = firstKey
                while sievedKey < nextKey {
                    _ = sieve.add(keys[sievedKey].prefix, Int(keys[sievedKey].byteCount))
                    sievedKey &+= 1
                }
                guard let place = key(at: position &+ 1, depth, &sieve, firstKey, nextKey)
                else { return nil }
                keyEnd = place
                sievedKey &+= 1
            }
            nextKey &+= 1
            guard case let colon = keyEnd &+ 1, colon < end &- 1,
                base[colon] == UInt8(ascii: ":")
            else { return nil }
            // A container writes its keys over those of the neighbour.
            if base[colon &+ 1] | 0x20 == UInt8(ascii: "{") { neighbourKey = firstKey }
            var none = 0
            guard let next = value(at: colon &+ 1, depth: depth, firstKey: nextKey, &none),
                next < end
            else { return nil }
            position = next &+ 1
            if base[next] == UInt8(ascii: ",") { continue }
            lastKey = nextKey
            return base[next] == UInt8(ascii: "}") ? position : nil
        }
        return nil
    }

    private mutating func array(at start: Int, depth: Int, firstKey: Int) -> Int? {
        let (base, end) = (base, end)
        var position = start &+ 1
        guard depth <= depthLimit, position < end else { return nil }
        if base[position] == UInt8(ascii: "]") { return position &+ 1 }
        var neighbourKey = firstKey
        var hasTwins = true
        while position < end {
            var place: Int?
            if neighbourKey > firstKey, hasTwins, base[position] == UInt8(ascii: "{") {
                place = twin(at: position, firstKey, neighbourKey)
                hasTwins = place != nil
            }
            guard
                let next = place
                    ?? value(at: position, depth: depth, firstKey: firstKey, &neighbourKey),
                next < end
            else { return nil }
            position = next &+ 1
            if base[next] == UInt8(ascii: ",") { continue }
            return base[next] == UInt8(ascii: "]") ? position : nil
        }
        return nil
    }

    /// The position after an object that has exactly the keys of its neighbour, which are from `firstKey`
    /// to `lastKey`, in the same order, and that contains no container.
    ///
    /// `nil` for others, and near the end of the text: they are examined as if they had no neighbour.
    @inline(__always)
    private func twin(at start: Int, _ firstKey: Int, _ lastKey: Int) -> Int? {
        let (base, end, keys) = (base, end, keys)
        var position = start &+ 1
        var index = firstKey
        while index < lastKey {
            // A key is compared together with its quotes and colon in the neighbour.
            let like = Int(keys[index].start) &- 1
            let value = position &+ Int(keys[index].byteCount) &+ 3
            guard value <= end &- 8, readsAlike(like, position, value &- position),
                let next = Self.scalar(base, end, at: value), next < end
            else { return nil }
            index &+= 1
            let mark = index < lastKey ? UInt8(ascii: ",") : UInt8(ascii: "}")
            guard base[next] == mark else { return nil }
            position = next &+ 1
        }
        return position
    }

    /// Whether the bytes at two positions are the same; the right one is the later, and at least eight bytes
    /// can be read there.
    @inline(__always)
    private func readsAlike(_ left: Int, _ right: Int, _ byteCount: Int) -> Bool {
        let difference = PlainRun.eightBytes(base + left) ^ PlainRun.eightBytes(base + right)
        guard byteCount > 8 else { return difference &<< UInt64(64 &- 8 &* byteCount) == 0 }
        return difference == 0 && endsAlike(left, right, byteCount)
    }

    /// The position after a value in `depth` containers; for `lastKey` see `object`.
    @inline(__always)
    private mutating func value(
        at position: Int,
        depth: Int,
        firstKey: Int,
        _ lastKey: inout Int
    ) -> Int? {
        let (base, end) = (base, end)
        guard position < end else { return nil }
        switch base[position] {
        case UInt8(ascii: "{"):
            return object(at: position, depth: depth &+ 1, firstKey: firstKey, &lastKey)
        case UInt8(ascii: "["):
            lastKey = firstKey
            return array(at: position, depth: depth &+ 1, firstKey: firstKey)
        default:
            return Self.scalar(base, end, at: position)
        }
    }

    /// The position after a value that is no container.
    @inline(__always)
    private static func scalar(
        _ base: UnsafePointer<UInt8>,
        _ end: Int,
        at position: Int
    ) -> Int? {
        switch base[position] {
        case UInt8(ascii: "\""):
            let special = PlainRun.end(from: position &+ 1, in: base, end)
            guard special < end else { return nil }
            if base[special] == UInt8(ascii: "\"") { return special &+ 1 }
            return rest(base, end, at: position) { lexer throws(JSONError.Reason) in
                _ = try lexer.scanString()
            }
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
            return number(base, end, at: position)
        default:
            return rest(base, end, at: position) { lexer throws(JSONError.Reason) in
                _ = try lexer.scanLiteral()
            }
        }
    }

    /// Where a key ends that equals the one at an index of `keys`; `nil` for another.
    @inline(__always)
    private func end(of index: Int, at start: Int) -> Int? {
        let key = keys[index]
        let byteCount = Int(key.byteCount)
        let keyEnd = start &+ byteCount
        guard start <= end &- 8, keyEnd < end, base[keyEnd] == UInt8(ascii: "\"") else {
            return nil
        }
        let difference = PlainRun.eightBytes(base + start).byteSwapped ^ key.prefix
        if byteCount < 8 {
            return difference & ~(UInt64.max &>> UInt64(8 &* byteCount)) == 0 ? keyEnd : nil
        }
        let isSame = difference == 0 && endsAlike(Int(key.start), start, byteCount)
        return isSame ? keyEnd : nil
    }

    /// Remembers a key that its object does not have yet; returns where it ends.
    @inline(__always)
    private mutating func key(
        at start: Int,
        _ depth: Int,
        _ sieve: inout KeyFilter,
        _ firstKey: Int,
        _ nextKey: Int
    ) -> Int? {
        let (base, end) = (base, end)
        guard start <= end &- 8, nextKey < keys.count,
            case let keyEnd = PlainRun.end(from: start, in: base, end), keyEnd < end,
            base[keyEnd] == UInt8(ascii: "\"")
        else { return nil }
        let byteCount = keyEnd &- start
        var prefix = PlainRun.eightBytes(base + start).byteSwapped
        if byteCount < 8 { prefix &= ~(UInt64.max &>> UInt64(8 &* byteCount)) }
        let first = prefix &>> 56
        // A possible blob needs a closer look.
        if first == UInt64(UInt8(ascii: "@")) { return nil }
        if first == UInt64(UInt8(ascii: "_")), depth == 1 { summary.hasUnderscoreKey = true }
        if prefix == digestPrefix, byteCount == 6 { summary.hasDigestKey = true }
        let key = Key(
            prefix: prefix,
            // Positions in a text whose size is limited.
            start: UInt32(truncatingIfNeeded: start),
            byteCount: UInt32(truncatingIfNeeded: byteCount)
        )
        if !sieve.add(prefix, byteCount), mayStand(key, from: firstKey, to: nextKey) { return nil }
        keys.initializeElement(at: nextKey, to: key)
        return keyEnd
    }

    /// Whether an object may already have a key.
    @inline(never)
    private func mayStand(_ key: Key, from first: Int, to next: Int) -> Bool {
        guard next - first < Self.objectKeysCount else { return true }
        return (first..<next).contains {
            keys[$0].prefix == key.prefix && keys[$0].byteCount == key.byteCount
                && endsAlike(Int(keys[$0].start), Int(key.start), Int(key.byteCount))
        }
    }

    /// Whether two keys of the same length are equal after the eighth byte.
    private func endsAlike(_ left: Int, _ right: Int, _ byteCount: Int) -> Bool {
        var offset = 8
        while offset < byteCount {
            let place = min(offset, byteCount &- 8)
            guard
                PlainRun.eightBytes(base + left + place)
                    == PlainRun.eightBytes(base + right + place)
            else { return false }
            offset &+= 8
        }
        return true
    }

    /// The position after a number of 1 to 18 digits and a fraction of any length, or another number.
    @inline(__always)
    private static func number(
        _ base: UnsafePointer<UInt8>,
        _ end: Int,
        at position: Int
    ) -> Int? {
        let first = base[position] == UInt8(ascii: "-") ? position &+ 1 : position
        var next = first
        while next < end, base[next] &- 0x30 <= 9 { next &+= 1 }
        if 1...18 ~= next &- first, base[first] != UInt8(ascii: "0") || next == first &+ 1 {
            // Whatever the fraction, a double can hold it.
            if next < end, base[next] == UInt8(ascii: "."), next &+ 1 < end,
                base[next &+ 1] &- 0x30 <= 9
            {
                next &+= 2
                while next < end, base[next] &- 0x30 <= 9 { next &+= 1 }
            }
            if next < end, base[next] != UInt8(ascii: "."),
                base[next] | 0x20 != UInt8(ascii: "e")
            {
                return next
            }
        }
        return rest(base, end, at: position) { lexer throws(JSONError.Reason) in
            _ = try lexer.scanNumber()
        }
    }

    /// The position after what the lexer reads there.
    @inline(never)
    private static func rest(
        _ base: UnsafePointer<UInt8>,
        _ end: Int,
        at position: Int,
        _ read: (inout Lexer) throws(JSONError.Reason) -> Void
    ) -> Int? {
        var lexer = Lexer(base: base, end: end, position: position, isCanonical: false)
        do throws(JSONError.Reason) {
            try read(&lexer)
            return lexer.position
        } catch {
            return nil
        }
    }
}
