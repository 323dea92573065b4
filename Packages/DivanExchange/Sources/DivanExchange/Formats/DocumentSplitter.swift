/// Cuts a stream of JSON lines, of indented objects, or of JSON arrays, into the texts of its documents.
struct DocumentSplitter {
    private enum Form {
        case unknown
        /// Each document is a line.
        case lines
        /// Documents of several lines, as `jq .` and `mongoexport --pretty` write them: the first line is `{`.
        case objects
        case array
    }

    /// What comes next in an array, outside of its items.
    private enum Place {
        /// Before the bracket that opens it.
        case beginning
        /// The first item, or the end.
        case first
        /// Within an item.
        case item
        /// A comma, or the end.
        case behindItem
        /// An item.
        case behindComma
        /// White space, or another array on a later line.
        case behindEnd
    }

    /// The size of the buffer that is reused for the next document.
    private static let keptByteCount = 1 << 20

    private let name: String
    private let tellsBytes: Bool
    private var form = Form.unknown
    /// No document was found yet.
    private var isFirstLine = true
    private var place = Place.beginning
    private var offset = 0
    private var pending: [UInt8] = []
    private var line = 1
    /// The line in which the last array ended.
    private var lastLine = 0
    private var lineOffset = 0
    private var firstLine = 1
    private var firstColumn = 1
    private var nesting = JSONNesting()

    /// - Parameters:
    ///   - name: What the places of errors begin with.
    ///   - tellsBytes: Whether they include the byte offset: the bytes are passed on as in the file.
    init(name: String, tellsBytes: Bool = true) {
        self.name = name
        self.tellsBytes = tellsBytes
    }

    /// Takes the next bytes of the stream; calls `body` for each complete document.
    mutating func receive(
        _ bytes: some Sequence<UInt8>,
        _ body: (inout DocumentText) throws -> Void
    ) throws {
        for byte in bytes {
            if form == .unknown { chooseForm(byte) }
            switch form {
            case .unknown: if byte == UInt8(ascii: "\n") { endLine() }
            case .lines: try takeLine(byte, body)
            case .objects: try takeOfObjects(byte, body)
            case .array: try takeOfArray(byte, body)
            }
            offset += 1
        }
    }

    /// Takes the end of the stream.
    mutating func finish(_ body: (inout DocumentText) throws -> Void) throws {
        if form == .lines { try takeLine(UInt8(ascii: "\n"), body) }
        switch form {
        case .unknown, .lines: return
        case .objects:
            guard pending.isEmpty else {
                throw ExchangeError(
                    .invalid,
                    at: "\(name):\(firstLine)",
                    "the document that begins here is not closed",
                    remedy: "check that the file is complete"
                )
            }
        case .array:
            guard place == .behindEnd else {
                throw broken("the array is not closed", remedy: "check that the file is complete")
            }
        }
    }

    /// Leaves out the rest of an array whose writer was interrupted, and continues with the next line.
    mutating func abandonArray() {
        guard form == .array else { return }
        (pending, nesting) = ([], JSONNesting())
        (place, lastLine) = (.behindEnd, line)
    }

    private mutating func chooseForm(_ byte: UInt8) {
        switch byte {
        case _ where Self.isSpace(byte): return
        // A byte order mark is not part of the text, and no editor counts it.
        case 0xEF, 0xBB, 0xBF:
            lineOffset = offset + 1
            return
        case UInt8(ascii: "["): form = .array
        default: form = .lines
        }
        firstLine = line
    }

    private mutating func takeLine(
        _ byte: UInt8,
        _ body: (inout DocumentText) throws -> Void
    ) throws {
        guard byte == UInt8(ascii: "\n") else { return try append(byte) }
        if isFirstLine, pending.first == UInt8(ascii: "{"),
            pending.dropFirst().allSatisfy(Self.isSpace)
        {
            form = .objects
            nesting.take(UInt8(ascii: "{"))
            return try takeOfObjects(byte, body)
        }
        isFirstLine = isFirstLine && pending.isEmpty
        defer {
            endLine()
            pending.removeAll(keepingCapacity: true)
        }
        if pending.isEmpty { return }
        try pass(body)
    }

    private mutating func takeOfObjects(
        _ byte: UInt8,
        _ body: (inout DocumentText) throws -> Void
    ) throws {
        if byte == UInt8(ascii: "\n") { endLine() }
        if nesting.depth == 0 {
            if Self.isSpace(byte) { return }
            guard byte == UInt8(ascii: "{") else {
                throw broken("expected a document that begins with {")
            }
        }
        try followItem(byte)
        guard nesting.depth == 0 else { return }
        defer { pending.removeAll(keepingCapacity: true) }
        try pass(body)
    }

    private mutating func endLine() {
        line += 1
        lineOffset = offset + 1
    }

    private var pendingText: DocumentText {
        let start = DocumentText.Position(file: name, line: firstLine, column: firstColumn)
        return DocumentText(
            place: "\(name):\(firstLine)",
            bytes: pending[...],
            start: tellsBytes ? start : nil
        )
    }

    private mutating func takeOfArray(
        _ byte: UInt8,
        _ body: (inout DocumentText) throws -> Void
    ) throws {
        if place == .item { try takeOfItem(byte, body) } else { try takeBetweenItems(byte) }
        if byte == UInt8(ascii: "\n") { endLine() }
    }

    private mutating func takeBetweenItems(_ byte: UInt8) throws {
        if Self.isSpace(byte) { return }
        switch (place, byte) {
        case (.beginning, _): place = .first
        case (.first, UInt8(ascii: "]")), (.behindItem, UInt8(ascii: "]")):
            (place, lastLine) = (.behindEnd, line)
        case (.behindItem, UInt8(ascii: ",")): place = .behindComma
        case (.behindItem, _):
            throw broken("expected a comma or the end of the array after a document")
        case (.behindEnd, UInt8(ascii: "[")) where line > lastLine: place = .first
        case (.behindEnd, _): throw broken("text after the end of the array")
        case (_, UInt8(ascii: ",")): throw broken("a comma without a document before it")
        case (_, UInt8(ascii: "]")): throw broken("a comma without a document after it")
        default:
            place = .item
            firstLine = line
            try followItem(byte)
        }
    }

    private mutating func takeOfItem(
        _ byte: UInt8,
        _ body: (inout DocumentText) throws -> Void
    ) throws {
        let isBare = nesting.isClosed
        // A number and the like has no terminator of its own.
        if isBare, Self.isSpace(byte) || byte == UInt8(ascii: ",") || byte == UInt8(ascii: "]") {
            try endItem(body)
            return try takeBetweenItems(byte)
        }
        try followItem(byte)
        if nesting.isClosed, !isBare { try endItem(body) }
    }

    /// Appends a byte to an item, and keeps track of brackets and strings.
    private mutating func followItem(_ byte: UInt8) throws {
        try append(byte)
        nesting.take(byte)
    }

    private mutating func endItem(_ body: (inout DocumentText) throws -> Void) throws {
        place = .behindItem
        defer { pending.removeAll(keepingCapacity: true) }
        try pass(body)
    }

    /// Passes a document on; a long one is not kept, so that its text can be released.
    private mutating func pass(_ body: (inout DocumentText) throws -> Void) throws {
        var text = pendingText
        if pending.count > Self.keptByteCount { pending = [] }
        try body(&text)
    }

    /// The failure for a malformed array, whatever its documents are.
    private func broken(_ problem: String, remedy: String? = nil) -> ExchangeError {
        let byte = tellsBytes ? "byte \(offset): " : ""
        return ExchangeError(
            .invalid,
            at: "\(name):\(line)",
            "\(byte)\(problem)",
            remedy: remedy
        )
    }

    private mutating func append(_ byte: UInt8) throws {
        if pending.isEmpty, Self.isSpace(byte) { return }
        if pending.isEmpty { (firstLine, firstColumn) = (line, offset - lineOffset + 1) }
        guard pending.count < ExchangeLimits.documentByteCount else {
            throw ExchangeError.textTooLong(at: "\(name):\(firstLine)")
        }
        pending.append(byte)
    }

    private static func isSpace(_ byte: UInt8) -> Bool { " \t\r\n".utf8.contains(byte) }
}
