import DivanJSON

/// A JSON text with one member or item per line, for people.
enum IndentedText {
    /// Bytes that are collected before they are passed on.
    private static let pieceByteCount = 1 << 16

    /// Passes the indented form of a canonical text on in pieces, of which none ends within a string.
    static func write(_ text: [UInt8], to sink: ([UInt8]) throws -> Void) rethrows {
        var piece: [UInt8] = []
        piece.reserveCapacity(2 * pieceByteCount)
        var depth = 0
        var index = 0
        func breakLine() {
            piece.append(UInt8(ascii: "\n"))
            piece.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * depth))
        }
        while index < text.count {
            let byte = text[index]
            index += 1
            switch byte {
            case UInt8(ascii: "\""):
                let end = endOfString(in: text, from: index)
                piece.append(contentsOf: text[index - 1..<end])
                index = end
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                piece.append(byte)
                if index < text.count, isClosing(text[index]) {
                    piece.append(text[index])
                    index += 1
                } else {
                    depth += 1
                    breakLine()
                }
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                breakLine()
                piece.append(byte)
            case UInt8(ascii: ","):
                piece.append(byte)
                breakLine()
            case UInt8(ascii: ":"): piece.append(contentsOf: ": ".utf8)
            default: piece.append(byte)
            }
            if piece.count >= pieceByteCount {
                try sink(piece)
                piece.removeAll(keepingCapacity: true)
            }
        }
        try sink(piece)
    }

    private static func isClosing(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]")
    }

    /// The place behind the quotation mark that ends a string.
    private static func endOfString(in text: [UInt8], from start: Int) -> Int {
        var index = start
        while index < text.count {
            switch text[index] {
            case UInt8(ascii: "\\"): index += 2
            case UInt8(ascii: "\""): return index + 1
            default: index += 1
            }
        }
        return min(index, text.count)
    }
}
