/// The range of texts that begin like a `LIKE` pattern, in byte order.
struct LikeRange: Equatable {
    let low: String
    let high: String

    /// The range of a pattern; `nil` if it begins with a wildcard, or could match numbers, which
    /// `LIKE` treats as text.
    init?(pattern: String) {
        var prefix: [Unicode.Scalar] = []
        var isEscaped = false
        for scalar in pattern.unicodeScalars {
            if !isEscaped, scalar == "%" || scalar == "_" { break }
            if !isEscaped, scalar == "\\" {
                isEscaped = true
                continue
            }
            isEscaped = false
            prefix.append(scalar)
        }
        guard let first = prefix.first, first != "-", !("0"..."9").contains(first) else {
            return nil
        }
        low = Self.text(prefix)
        // The next text of this length: its last scalar is incremented.
        while let last = prefix.popLast() {
            guard let next = Self.next(last) else { continue }
            high = Self.text(prefix + [next])
            return
        }
        return nil
    }

    private static func next(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
        // The surrogates lie between the two.
        scalar.value == 0xD7FF ? "\u{E000}" : Unicode.Scalar(scalar.value + 1)
    }

    private static func text(_ scalars: [Unicode.Scalar]) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars)
        return String(text)
    }
}
