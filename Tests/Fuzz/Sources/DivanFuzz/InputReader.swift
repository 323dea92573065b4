/// Parses an input; reads zeros and empty pieces after its end.
struct InputReader {
    private var rest: ArraySlice<UInt8>

    init(_ input: [UInt8]) {
        rest = input[...]
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func byte() -> UInt8 {
        rest.popFirst() ?? 0
    }

    /// Two bytes, the lower first.
    mutating func count() -> Int {
        let low = Int(byte())
        return low | Int(byte()) << 8
    }

    /// A count and that many bytes, or as many as there are.
    mutating func piece() -> [UInt8] {
        bytes(count())
    }

    mutating func bytes(_ count: Int) -> [UInt8] {
        let taken = rest.prefix(count)
        rest = rest.dropFirst(taken.count)
        return Array(taken)
    }

    /// The bytes before the next `separator`, which is consumed too.
    mutating func bytes(until separator: UInt8) -> [UInt8] {
        let taken = rest.prefix { $0 != separator }
        rest = rest.dropFirst(taken.count + 1)
        return Array(taken)
    }

    /// All that is left.
    mutating func remainder() -> [UInt8] {
        defer { rest = [] }
        return Array(rest)
    }
}

/// The form that `InputReader.piece()` reads; longer pieces are truncated.
func piece(_ bytes: some Collection<UInt8>) -> [UInt8] {
    let bytes = Array(bytes.prefix(0xFFFF))
    return [UInt8(bytes.count & 0xFF), UInt8(bytes.count >> 8)] + bytes
}
