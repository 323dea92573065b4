/// A position in the text of a query.
public struct QueryPosition: Hashable, Sendable {
    /// Bytes before it.
    public let offset: Int

    /// Creates the position after `offset` bytes.
    public init(offset: Int) {
        self.offset = offset
    }

    /// Line and column of this position in `text`, both counted from 1; the column in bytes.
    public func lineAndColumn(in text: String) -> (line: Int, column: Int) {
        var line = 1
        var column = 1
        for byte in text.utf8.prefix(offset) {
            column += 1
            if byte == UInt8(ascii: "\n") { (line, column) = (line + 1, 1) }
        }
        return (line, column)
    }
}
