/// A scan for what nearly every received body is: an object without white space, whose keys are ASCII
/// without escapes, and of which no object has many.
///
/// It finds such a text valid, and tells what stands in it; of any other it says nothing, and
/// `ValidatingScan` looks at it from the beginning. So whatever it is unsure of it may leave; it is
/// short because it remembers little and names no problem.
///
/// Why the pointers are right: a scan lives inside the closures that lend them. Every byte is read at
/// an index that was compared with `end`, a load of eight bytes at one that was compared with
/// `end - 8`, and keys are stored at indices below `keys.count` and read where they were stored.
struct PlainScan: ~Copyable {
    private struct Key {
        /// The first eight bytes, as `KeyLedger.Record.prefix`.
        let prefix: UInt64
        let start: UInt32
        let byteCount: UInt32
    }

    /// As many as need no memory but the stack's.
    private static let openKeysCount = 64
    private static let objectKeysCount = 32
    private let base: UnsafePointer<UInt8>
    private let end: Int
    private let depthLimit: Int
    /// The keys of the objects that are open.
    private let keys: UnsafeMutableBufferPointer<Key>
    private var summary = JSONSummary()

    /// What stands in a text that is valid for certain; `nil` for others.
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
            guard scan.object(at: 0, depth: 1, firstKey: 0) == text.count else { return nil }
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

    /// The place behind an object; `depth` is the number of containers that are open with it.
    private mutating func object(at start: Int, depth: Int, firstKey: Int) -> Int? {
        let (base, end) = (base, end)
        var position = start &+ 1
        guard depth <= depthLimit, position < end else { return nil }
        if base[position] == UInt8(ascii: "}") { return position &+ 1 }
        var nextKey = firstKey
        var sieve = KeySieve()
        while position < end, base[position] == UInt8(ascii: "\"") {
            guard let keyEnd = key(at: position &+ 1, depth, &sieve, firstKey, nextKey),
                case let colon = keyEnd &+ 1, colon < end, base[colon] == UInt8(ascii: ":")
            else { return nil }
            nextKey &+= 1
            guard let next = value(at: colon &+ 1, depth: depth, firstKey: nextKey), next < end
            else { return nil }
            position = next &+ 1
            if base[next] == UInt8(ascii: ",") { continue }
            return base[next] == UInt8(ascii: "}") ? position : nil
        }
        return nil
    }

    private mutating func array(at start: Int, depth: Int, firstKey: Int) -> Int? {
        let (base, end) = (base, end)
        var position = start &+ 1
        guard depth <= depthLimit, position < end else { return nil }
        if base[position] == UInt8(ascii: "]") { return position &+ 1 }
        while let next = value(at: position, depth: depth, firstKey: firstKey), next < end {
            position = next &+ 1
            if base[next] == UInt8(ascii: ",") { continue }
            return base[next] == UInt8(ascii: "]") ? position : nil
        }
        return nil
    }

    /// The place behind a value in `depth` containers.
    @inline(__always)
    private mutating func value(at position: Int, depth: Int, firstKey: Int) -> Int? {
        guard position < end else { return nil }
        switch base[position] {
        case UInt8(ascii: "\""):
            guard let special = special(from: position &+ 1) else { return nil }
            if base[special] == UInt8(ascii: "\"") { return special &+ 1 }
            return rest(at: position) { lexer throws(JSONError.Reason) in
                _ = try lexer.scanString()
            }
        case UInt8(ascii: "{"): return object(at: position, depth: depth &+ 1, firstKey: firstKey)
        case UInt8(ascii: "["): return array(at: position, depth: depth &+ 1, firstKey: firstKey)
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): return number(at: position)
        default:
            return rest(at: position) { lexer throws(JSONError.Reason) in
                _ = try lexer.scanLiteral()
            }
        }
    }

    /// Remembers a key that its object does not have yet; returns where it ends.
    @inline(__always)
    private mutating func key(
        at start: Int,
        _ depth: Int,
        _ sieve: inout KeySieve,
        _ firstKey: Int,
        _ nextKey: Int
    ) -> Int? {
        guard start <= end &- 8, nextKey < keys.count, let keyEnd = special(from: start),
            base[keyEnd] == UInt8(ascii: "\"")
        else { return nil }
        let byteCount = keyEnd &- start
        var prefix = PlainRun.eightBytes(base + start).byteSwapped
        if byteCount < 8 { prefix &= ~(UInt64.max &>> UInt64(8 &* byteCount)) }
        let first = prefix &>> 56
        // What may be a blob is looked at closely.
        if first == UInt64(UInt8(ascii: "@")) { return nil }
        if first == UInt64(UInt8(ascii: "_")), depth == 1 { summary.hasUnderscoreKey = true }
        if prefix == digestPrefix, byteCount == 6 { summary.hasDigestKey = true }
        let key = Key(
            prefix: prefix,
            // Places in a text of at most so many bytes.
            start: UInt32(truncatingIfNeeded: start),
            byteCount: UInt32(truncatingIfNeeded: byteCount)
        )
        if !sieve.add(prefix, byteCount), mayStand(key, from: firstKey, to: nextKey) { return nil }
        keys.initializeElement(at: nextKey, to: key)
        return keyEnd
    }

    /// Whether an object may have a key already.
    @inline(never)
    private func mayStand(_ key: Key, from first: Int, to next: Int) -> Bool {
        guard next - first < Self.objectKeysCount else { return true }
        return (first..<next).contains {
            keys[$0].prefix == key.prefix && keys[$0].byteCount == key.byteCount
                && (key.byteCount <= 8 || endsAlike(keys[$0], key))
        }
    }

    /// Whether two keys of the same length have the same bytes behind the eighth.
    private func endsAlike(_ left: Key, _ right: Key) -> Bool {
        let (left, right, count) = (Int(left.start), Int(right.start), Int(left.byteCount))
        return !(8..<count).contains { base[left + $0] != base[right + $0] }
    }

    /// The place behind an integer of 1 to 18 digits, or another number.
    @inline(__always)
    private func number(at position: Int) -> Int? {
        let first = base[position] == UInt8(ascii: "-") ? position &+ 1 : position
        var next = first
        while next < end, base[next] &- 0x30 <= 9 { next &+= 1 }
        if 1...18 ~= next &- first, next < end,
            base[first] != UInt8(ascii: "0") || next == first &+ 1,
            base[next] != UInt8(ascii: "."), base[next] | 0x20 != UInt8(ascii: "e")
        {
            return next
        }
        return rest(at: position) { lexer throws(JSONError.Reason) in
            _ = try lexer.scanNumber()
        }
    }

    /// The place behind what the lexer reads there.
    @inline(never)
    private func rest(
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

    /// Where a run of plain characters ends; `nil` when nothing follows it.
    @inline(__always)
    private func special(from start: Int) -> Int? {
        let place = PlainRun.end(from: start, in: base, end)
        return place < end ? place : nil
    }
}
