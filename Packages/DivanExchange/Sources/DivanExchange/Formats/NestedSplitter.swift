import DivanJSON

/// Finds the documents at a path in JSON texts: the items of an array, or the members of an object, whose keys are
/// their IDs.
///
/// Only one document is in memory; what is outside of the path is skipped, and only its brackets and strings are
/// checked.
struct NestedSplitter {
    /// What a text without the path is.
    private enum Fallback {
        case refused
        /// A document of GeoJSON, or an array of them.
        case feature
    }

    /// The open containers are those on the path, and then the one with the documents.
    private enum Container { case path, array, map }

    private enum State {
        /// Between texts.
        case outside
        /// At a value on the path.
        case value
        /// At a value that is not on the path.
        case other
        /// In a value that is not on the path.
        case skipping
        case firstKey
        case key
        case inKey
        case colon
        case behindMember
        /// At a document, or the end of the array.
        case firstItem
        case item
        case document
        case behindItem
    }

    private let name: String
    private let steps: [String]
    private let fallback: Fallback

    private var state = State.outside
    private var containers: [Container] = []
    /// Whether the text contains the path.
    private var isFound = false
    private var extent = JSONExtent(first: 0)
    /// The text of a key, with its escapes.
    private var key: [UInt8] = []
    private var isKeyEscaped = false
    /// What is after the colon.
    private var next = State.other
    /// The first keys of the innermost object on the path.
    private var seenKeys: [String] = []
    /// How many containers are around these keys.
    private var seenDepth = 0
    /// The document so far.
    private var pending: [UInt8] = []
    /// The text so far, if it may be a document itself.
    private var kept: [UInt8] = []

    private var offset = 0
    private var line = 1
    private var lineOffset = 0
    private var start = Place(line: 1, column: 1)
    private var textStart = Place(line: 1, column: 1)

    fileprivate struct Place {
        var line: Int
        var column: Int
    }

    typealias Body = (inout DocumentText) throws -> Void

    /// - Parameters:
    ///   - name: What the places of errors begin with.
    ///   - path: Where the documents are; its steps are keys.
    init(name: String, path: JSONPointer) {
        self.init(name: name, steps: path.steps, fallback: .refused)
    }

    private init(name: String, steps: [String], fallback: Fallback) {
        (self.name, self.steps, self.fallback) = (name, steps, fallback)
    }

    /// Finds the features of GeoJSON.
    static func features(name: String) -> NestedSplitter {
        NestedSplitter(name: name, steps: ["features"], fallback: .feature)
    }

    /// Calls `body` for each document of an input.
    static func read(
        _ source: ByteSource,
        _ splitter: NestedSplitter,
        _ body: Body
    ) throws {
        var splitter = splitter
        while case let piece = try source.read(), !piece.isEmpty {
            try splitter.receive(piece, body)
        }
        try splitter.finish(body)
    }

    /// Follows the next bytes; calls `body` for each complete document.
    mutating func receive(_ bytes: [UInt8], _ body: Body) throws {
        for byte in bytes {
            try take(byte, body)
            if byte == UInt8(ascii: "\n") { (line, lineOffset) = (line + 1, offset + 1) }
            offset += 1
        }
    }

    /// Follows the end of the input.
    mutating func finish(_ body: Body) throws {
        if state == .skipping, containers.isEmpty, extent.isBare { try endText(body) }
        guard state == .outside else {
            throw ExchangeError(
                .invalid,
                at: "\(name):\(line)",
                "byte \(offset): the JSON text that begins in line \(textStart.line) is not closed",
                remedy: "check that the file is complete"
            )
        }
    }

    private mutating func take(_ byte: UInt8, _ body: Body) throws {
        if fallback == .feature, !isFound, state != .outside { try keep(byte) }
        switch state {
        case .inKey: try takeOfKey(byte)
        case .skipping: try skip(byte, body)
        case .document: try takeOfDocument(byte, body)
        default:
            if " \t\r\n".utf8.contains(byte) { return }
            try takeBetween(byte, body)
        }
    }

    /// Follows a byte that is neither in a key, nor in a value, nor white space.
    private mutating func takeBetween(_ byte: UInt8, _ body: Body) throws {
        switch (state, byte) {
        case (.outside, 0xEF), (.outside, 0xBB), (.outside, 0xBF):
            guard offset < 3 else { throw broken("expected an object or an array") }
            lineOffset = offset + 1  // a byte order mark
        case (.outside, 0x1E) where fallback == .feature: break  // RFC 8142
        case (.outside, _): try beginText(byte)
        case (.value, _): try takeOnPath(byte)
        case (.other, _): try beginSkipping(byte)
        case (.firstKey, UInt8(ascii: "\"")), (.key, UInt8(ascii: "\"")):
            (key, isKeyEscaped, state) = ([], false, .inKey)
        case (.firstKey, UInt8(ascii: "}")), (.behindMember, UInt8(ascii: "}")),
            (.firstItem, UInt8(ascii: "]")), (.behindItem, UInt8(ascii: "]")):
            try close(body)
        case (.firstKey, _), (.key, _): throw broken("expected a key in quotes")
        case (.colon, UInt8(ascii: ":")): state = next
        case (.colon, _): throw broken("expected a colon after a key")
        case (.behindMember, UInt8(ascii: ",")): state = .key
        case (.behindMember, _): throw broken("expected a comma or the end of the object")
        case (.behindItem, UInt8(ascii: ",")): state = .item
        case (.behindItem, _):
            throw broken("expected a comma or the end of the array after a document")
        case (.firstItem, _), (.item, _): try beginDocument(byte)
        case (.inKey, _), (.skipping, _), (.document, _): break
        }
    }

    private mutating func beginText(_ byte: UInt8) throws {
        (isFound, seenKeys, seenDepth, textStart) = (false, [], 0, place)
        state = .value
        if fallback == .feature {
            kept = [byte]
            if byte == UInt8(ascii: "[") { return open(.array) }
        }
        try takeOnPath(byte)
    }

    private mutating func takeOnPath(_ byte: UInt8) throws {
        guard containers.count == steps.count else {
            guard byte == UInt8(ascii: "{") else { return try beginSkipping(byte) }
            containers.append(.path)
            (seenKeys, seenDepth, state) = ([], containers.count, .firstKey)
            return
        }
        switch byte {
        case UInt8(ascii: "["): open(.array)
        case UInt8(ascii: "{"): open(.map)
        case UInt8(ascii: "n"):  // null: no documents
            isFound = true
            try beginSkipping(byte)
        default:
            let what = steps.isEmpty ? "the JSON text" : "the value at \(quotedPath)"
            throw broken("\(what) is neither an array nor an object")
        }
    }

    /// Enters the container with the documents.
    private mutating func open(_ container: Container) {
        (isFound, kept) = (true, [])
        containers.append(container)
        state = container == .array ? .firstItem : .firstKey
    }

    private mutating func close(_ body: Body) throws {
        containers.removeLast()
        try endValue(body)
    }

    /// After a value: in its container, or after the text.
    private mutating func endValue(_ body: Body) throws {
        switch containers.last {
        case nil: try endText(body)
        case .array?: state = .behindItem
        case .path?, .map?: state = .behindMember
        }
    }

    private mutating func takeOfKey(_ byte: UInt8) throws {
        guard byte == UInt8(ascii: "\""), !isKeyEscaped else {
            isKeyEscaped = !isKeyEscaped && byte == UInt8(ascii: "\\")
            guard key.count < ExchangeLimits.keyByteCount else {
                throw broken("a key is longer than 64 KiB")
            }
            return key.append(byte)
        }
        state = .colon
        guard containers.last == .path else {
            next = .item
            return
        }
        let text = try text(of: key)
        if containers.count == seenDepth, seenKeys.count <= ImportIDs.listedKeyCount {
            seenKeys.append(text)
        }
        let step = steps[containers.count - 1]
        next = step.utf8.elementsEqual(text.utf8) ? .value : .other
    }

    private func text(of key: [UInt8]) throws -> String {
        let quote = [UInt8(ascii: "\"")]
        guard let text = (try? JSON(parsing: quote + key + quote))?.string else {
            throw broken("a key is not a valid string")
        }
        return text
    }

    private mutating func beginSkipping(_ byte: UInt8) throws {
        try requireValue(byte)
        extent = JSONExtent(first: byte)
        state = .skipping
    }

    private mutating func skip(_ byte: UInt8, _ body: Body) throws {
        switch extent.take(byte) {
        case .inside: break
        case .last: try endValue(body)
        case .after:
            try endValue(body)
            try takeBehind(byte, body)
        }
    }

    private func requireValue(_ byte: UInt8) throws {
        if ",:]}".utf8.contains(byte) { throw broken("expected a value") }
    }
}

// MARK: Documents

extension NestedSplitter {
    /// The size of the buffer that is reused for the next document.
    private static let keptByteCount = 1 << 20

    fileprivate var place: Place { Place(line: line, column: offset - lineOffset + 1) }

    fileprivate mutating func beginDocument(_ byte: UInt8) throws {
        if ",:]}".utf8.contains(byte) { throw broken("expected a document") }
        extent = JSONExtent(first: byte)
        (start, state) = (place, .document)
        pending.append(byte)
    }

    fileprivate mutating func takeOfDocument(_ byte: UInt8, _ body: Body) throws {
        switch extent.take(byte) {
        case .inside: try append(byte)
        case .last:
            try append(byte)
            try pass(body)
        case .after:
            try pass(body)
            try takeBehind(byte, body)
        }
    }

    fileprivate mutating func takeBehind(_ byte: UInt8, _ body: Body) throws {
        if " \t\r\n".utf8.contains(byte) { return }
        try takeBetween(byte, body)
    }

    private mutating func append(_ byte: UInt8) throws {
        guard pending.count < ExchangeLimits.documentByteCount else {
            throw ExchangeError.textTooLong(at: "\(name):\(start.line)")
        }
        pending.append(byte)
    }

    /// Passes a document on; a long one is not kept, so that its text can be released.
    private mutating func pass(_ body: Body) throws {
        var entry = DocumentText(
            place: "\(name):\(start.line)",
            suppliedID: containers.last == .map ? try text(of: key) : nil,
            bytes: pending[...],
            start: .init(file: name, line: start.line, column: start.column)
        )
        if fallback == .feature { entry.idKey = "id" }
        if pending.count > Self.keptByteCount { pending = [] }
        defer { pending.removeAll(keepingCapacity: true) }
        try endValue(body)
        try body(&entry)
    }

    /// Keeps the text: it may be a document itself.
    fileprivate mutating func keep(_ byte: UInt8) throws {
        guard kept.count < ExchangeLimits.documentByteCount else {
            throw ExchangeError.textTooLong(at: "\(name):\(textStart.line)")
        }
        kept.append(byte)
    }

    fileprivate mutating func endText(_ body: Body) throws {
        state = .outside
        guard !isFound else { return }
        switch fallback {
        case .refused:
            throw ExchangeError(
                .noPath,
                at: "\(name):\(textStart.line)",
                "the JSON text has no value at \(quotedPath)",
                remedy: seenKeys.isEmpty
                    ? "check the path" : "the keys there are \(ImportIDs.list(seenKeys))"
            )
        case .feature:
            let place = "\(name):\(textStart.line)"
            var entry = DocumentText(
                place: place,
                bytes: kept[...],
                start: .init(file: name, line: textStart.line, column: textStart.column)
            )
            entry.idKey = "id"
            if !GeoJSON.mayBe(kept) {
                let problem = ExchangeError(
                    .invalid,
                    "not a GeoJSON object: its type is not one of GeoJSON",
                    remedy: "import other JSON as JSON"
                )
                entry = DocumentText(place: place, refusedFor: problem)
            }
            kept = []
            try body(&entry)
        }
    }

    fileprivate var quotedPath: String {
        "'" + steps.map { "/" + JSONPointer.step(to: $0) }.joined() + "'"
    }

    fileprivate func broken(_ problem: String) -> ExchangeError {
        ExchangeError(.invalid, at: "\(name):\(line)", "byte \(offset): \(problem)")
    }
}
