/// The start line and the header fields of one HTTP/1.1 message.
public struct HTTPHead: Sendable, Equatable {
    /// The first line, without its ending.
    public let startLine: String
    /// The fields, in order.
    public let headers: HTTPHeaders
}

/// Reads one start line and its header fields from bytes that arrive in arbitrary pieces.
///
/// Each byte is processed once, within the limits. The reader is strict where leniency has permitted request
/// smuggling: lines end in CRLF, no folding, no control characters, no space before the colon. Source: RFC 9112 §2
/// to §5.
public struct HTTPHeadReader: Sendable {
    private let limits: HTTPHeadLimits
    private let prefix: String  // what the start line begins with; empty for requests
    private var buffer: [UInt8] = []
    private var scannedCount = 0
    private var lineStart = 0
    private var startLine: String?
    private var headers = HTTPHeaders()
    private var failure: HTTPHeadError?

    /// Creates a reader for one message.
    ///
    /// - Parameters:
    ///   - limits: The limits of the headers.
    ///   - prefix: The required start of the start line; empty for requests.
    public init(limits: HTTPHeadLimits = HTTPHeadLimits(), prefix: String = "") {
        self.limits = limits
        self.prefix = prefix
    }

    /// Whether any byte has arrived.
    public var hasBegun: Bool { !buffer.isEmpty }

    /// Appends bytes; bytes after the headers are kept for `takeLeftover`.
    public mutating func receive(_ bytes: Span<UInt8>) {
        bytes.withUnsafeBufferPointer { buffer.append(contentsOf: $0) }
    }

    /// The bytes after the headers; call it when the headers are complete.
    public mutating func takeLeftover() -> [UInt8] {
        let leftover = Array(buffer.dropFirst(scannedCount))
        buffer = []
        scannedCount = 0
        return leftover
    }

    /// Returns the head when it is complete.
    ///
    /// - Throws: At the first invalid byte; every later call throws the same error.
    public mutating func next() throws(HTTPHeadError) -> HTTPHead? {
        if let failure { throw failure }
        do {
            return try scan()
        } catch {
            failure = error
            throw error
        }
    }

    private mutating func scan() throws(HTTPHeadError) -> HTTPHead? {
        while scannedCount < buffer.count {
            guard scannedCount < limits.headByteCount else {
                throw .head(limit: limits.headByteCount)
            }
            if scannedCount == 0 { try checkFirst(buffer[0]) }
            scannedCount = endOfText()
            guard scannedCount < buffer.count else { break }
            let byte = buffer[scannedCount]
            if byte == UInt8(ascii: "\n") {
                guard scannedCount > lineStart, buffer[scannedCount - 1] == UInt8(ascii: "\r")
                else { throw malformed }
                let line = buffer[lineStart..<scannedCount - 1]
                scannedCount += 1
                lineStart = scannedCount
                if let head = try end(line) { return head }
                continue
            }
            try check(byte)
            scannedCount += 1
        }
        return nil
    }

    /// The end of the line's text: the line ending, an invalid byte, or the last byte within the limits.
    private func endOfText() -> Int {
        let isBehindReturn =
            scannedCount > lineStart && buffer[scannedCount - 1] == UInt8(ascii: "\r")
        guard !isBehindReturn else { return scannedCount }
        let room = min(buffer.count, limits.headByteCount - 1) - lineStart
        let end = lineStart + min(room, limits.lineByteCount)
        let bytes = buffer.span
        var index = scannedCount
        while index < end, !bytes[index].breaksHTTPLine { index += 1 }
        return index
    }

    private var lineNumber: Int { startLine == nil ? 1 : headers.fields.count + 2 }

    /// The error for the current line; another protocol is recognized by its first line.
    private var malformed: HTTPHeadError {
        let line = String(decoding: buffer[lineStart..<scannedCount].prefix(24), as: UTF8.self)
        return lineNumber > 1 || line.hasPrefix(prefix) ? .line(lineNumber) : .notHTTP(start: line)
    }

    /// A TLS record is recognized at its start, because a wrong scheme is a common mistake.
    private func checkFirst(_ byte: UInt8) throws(HTTPHeadError) {
        if byte == 0x15 || byte == 0x16 { throw .tlsRecord }
    }

    private func check(_ byte: UInt8) throws(HTTPHeadError) {
        guard scannedCount - lineStart <= limits.lineByteCount else {
            throw .lineLength(limit: limits.lineByteCount)
        }
        let followsReturn =
            scannedCount > lineStart && buffer[scannedCount - 1] == UInt8(ascii: "\r")
        guard !followsReturn, byte == UInt8(ascii: "\r") || !byte.breaksHTTPLine else {
            throw malformed
        }
    }

    private mutating func end(_ line: ArraySlice<UInt8>) throws(HTTPHeadError) -> HTTPHead? {
        guard let startLine else {
            guard !line.isEmpty else { throw .line(1) }
            let text = String(decoding: line, as: UTF8.self)
            guard text.hasPrefix(prefix) else { throw .notHTTP(start: String(text.prefix(24))) }
            startLine = text
            return nil
        }
        if line.isEmpty { return HTTPHead(startLine: startLine, headers: headers) }
        guard headers.fields.count < limits.headerCount else {
            throw .headerCount(limit: limits.headerCount)
        }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
            line[..<colon].allSatisfy(\.isHTTPTokenByte)
        else { throw .line(lineNumber) }
        headers.append(
            String(decoding: line[..<colon], as: UTF8.self),
            String(decoding: line[(colon + 1)...].trimmingBlanks(), as: UTF8.self)
        )
        return nil
    }
}
