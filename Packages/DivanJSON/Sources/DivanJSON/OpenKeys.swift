/// Where the keys of the objects that are open during a scan begin: finds those that occur twice.
///
/// Four bytes each, because an object may have millions of keys.
struct OpenKeys: ~Copyable {
    /// How many keys the open objects have so far.
    private(set) var count = 0
    /// Offsets of the keys' opening quotes; those from `count` on belong to closed objects.
    private var places: [UInt32] = []

    /// Adds a key of the innermost object; the text has at most `UInt32.max` bytes.
    @inline(__always)
    mutating func append(_ place: Int) {
        let place = UInt32(truncatingIfNeeded: place)
        if count < places.count { places[count] = place } else { places.append(place) }
        count &+= 1
    }

    /// Forgets the keys of the innermost object, for which there were `first` when it opened.
    @inline(__always)
    mutating func close(objectFrom first: Int) {
        count = first
    }

    /// Whether the innermost object has the key at a place.
    func contains(_ place: Int, objectFrom first: Int, in lexer: Lexer) -> Bool {
        places[first..<count].contains { lexer.compareKeys(at: Int($0), place) == 0 }
    }

    /// Whether a key of the innermost object occurs twice; sorts its keys.
    mutating func hasRepeatedKey(objectFrom first: Int, in lexer: Lexer) -> Bool {
        // Sorting a slice of the array would copy it.
        places.withUnsafeMutableBufferPointer { [count] places in
            places[first..<count].sort { lexer.compareKeys(at: Int($0), Int($1)) < 0 }
        }
        return (first + 1..<max(count, first + 1)).contains {
            lexer.compareKeys(at: Int(places[$0 - 1]), Int(places[$0])) == 0
        }
    }
}

extension Lexer {
    /// Orders two scanned keys, given by the offsets of their opening quotes, by the bytes of their texts.
    ///
    /// Each ends with a quote that is not escaped, so neither is read beyond its end.
    func compareKeys(at left: Int, _ right: Int) -> Int {
        var (left, right) = (left + 1, right + 1)
        while base[left] == base[right], !Self.isSpecial(base[left]) {
            left &+= 1
            right &+= 1
        }
        let (first, second) = (base[left], base[right])
        if first == UInt8(ascii: "\\") || second == UInt8(ascii: "\\") {
            return compareEscapedKeys(from: left, right)
        }
        if first == second { return 0 }
        if first == UInt8(ascii: "\"") { return -1 }
        if second == UInt8(ascii: "\"") { return 1 }
        return Int(first) - Int(second)
    }

    private func compareEscapedKeys(from left: Int, _ right: Int) -> Int {
        var (first, second) = (KeyBytes(self, from: left), KeyBytes(self, from: right))
        while true {
            switch (first.next(), second.next()) {
            case (nil, nil): return 0
            case (nil, _): return -1
            case (_, nil): return 1
            case (let byte?, let other?): if byte != other { return Int(byte) - Int(other) }
            }
        }
    }

    fileprivate static func isSpecial(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }
}

/// The bytes of a scanned key's text up to its closing quote, escapes resolved.
private struct KeyBytes {
    private let lexer: Lexer
    private var position: Int
    /// The rest of an escaped character.
    private var character: [UInt8] = []

    init(_ lexer: Lexer, from position: Int) {
        self.lexer = lexer
        self.position = position
    }

    mutating func next() -> UInt8? {
        if let byte = character.popLast() { return byte }
        switch lexer.base[position] {
        case UInt8(ascii: "\""): return nil
        case UInt8(ascii: "\\"):
            position += lexer.decodeEscape(at: position, appendingTo: &character)
            character.reverse()
            return character.popLast()
        case let byte:
            position += 1
            return byte
        }
    }
}
