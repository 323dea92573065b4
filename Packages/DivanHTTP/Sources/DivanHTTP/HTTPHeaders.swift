/// Header fields in the order of the message.
///
/// Names are compared without case; values are not changed. Source: RFC 9110 §5.
public struct HTTPHeaders: Sendable, Equatable {
    /// One field line.
    public struct Field: Sendable, Equatable {
        /// The name in its sender's spelling.
        public let name: String
        /// The value without surrounding white space.
        public let value: String

        /// Creates a field.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// All fields, in order; a name can occur several times.
    public private(set) var fields: [Field]

    /// Creates headers from pairs, in their order.
    public init(_ pairs: [(name: String, value: String)] = []) {
        fields = pairs.map { Field(name: $0.name, value: $0.value) }
    }

    /// The value of the first field called `name`.
    public subscript(name: String) -> String? {
        fields.first { $0.name.isEqualIgnoringCase(name) }?.value
    }

    /// The values of all fields called `name`, such as those of `Set-Cookie`.
    public func values(_ name: String) -> [String] {
        fields.filter { $0.name.isEqualIgnoringCase(name) }.map(\.value)
    }

    /// Appends a field.
    public mutating func append(_ name: String, _ value: String) {
        fields.append(Field(name: name, value: value))
    }

    /// Removes all fields called `name`.
    public mutating func remove(_ name: String) {
        fields.removeAll { $0.name.isEqualIgnoringCase(name) }
    }

    /// The comma-separated elements of all fields called `name`, without empty elements.
    public func elements(_ name: String) -> [String] {
        values(name).flatMap { $0.utf8.split(separator: UInt8(ascii: ",")) }
            .map { $0.trimmingBlanks() }
            .filter { !$0.isEmpty }
            .map { String(Substring($0)) }
    }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
    /// Creates headers in the order of the literal; a name can occur several times.
    public init(dictionaryLiteral elements: (String, String)...) {
        self.init(elements.map { (name: $0.0, value: $0.1) })
    }
}

extension HTTPHeaders {
    /// The name of a field that contains a line break or is not a valid field; `nil` if all can be sent.
    public var unsendableField: String? {
        fields.first { field in
            let isName = !field.name.isEmpty && field.name.utf8.allSatisfy(\.isHTTPTokenByte)
            return !isName || field.value.utf8.contains(where: \.breaksHTTPLine)
        }?.name
    }

    /// The head of a message: a start line, these fields, and the empty line.
    ///
    /// If the fields come from input, check `unsendableField` first.
    public func head(startLine: String) -> [UInt8] {
        var bytes = Array(startLine.utf8)
        bytes.reserveCapacity(
            fields.reduce(bytes.count + 4) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
        )
        for field in fields {
            bytes += "\r\n".utf8
            bytes += field.name.utf8
            bytes += ": ".utf8
            bytes += field.value.utf8
        }
        bytes += "\r\n\r\n".utf8
        return bytes
    }
}

extension StringProtocol {
    /// Compares without regard to the case of ASCII letters, as HTTP requires for names and tokens.
    public func isEqualIgnoringCase(_ other: some StringProtocol) -> Bool {
        // In place, because each request is searched for a dozen names.
        let isEqual = utf8.withContiguousStorageIfAvailable { own in
            other.utf8.withContiguousStorageIfAvailable { other in
                own.count == other.count
                    && own.indices.allSatisfy {
                        asciiLowercase(own[$0]) == asciiLowercase(other[$0])
                    }
            }
        }
        guard let isEqual, let isEqual else {
            return utf8.lazy.map(asciiLowercase).elementsEqual(other.utf8.lazy.map(asciiLowercase))
        }
        return isEqual
    }

    /// The text without spaces and tabs at its ends.
    public func trimmingBlanks() -> String {
        String(Substring(Substring(self).utf8.trimmingBlanks()))
    }
}

extension BidirectionalCollection<UInt8> where SubSequence == Self {
    /// The bytes without blanks and tabs at their ends.
    func trimmingBlanks() -> Self {
        var rest = self
        while let first = rest.first, isBlank(first) { rest = rest.dropFirst() }
        while let last = rest.last, isBlank(last) { rest = rest.dropLast() }
        return rest
    }
}

extension UInt8 {
    /// Whether the byte is allowed in a header's name, a method or a subprotocol (RFC 9110 §5.6.2).
    public var isHTTPTokenByte: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"):
            true
        // !  #$%&'  *+  -.  ^_`  |  ~
        case 0x21, 0x23...0x27, 0x2A...0x2B, 0x2D...0x2E, 0x5E...0x60, 0x7C, 0x7E: true
        default: false
        }
    }

    /// Whether the byte must not be written to a header line.
    public var breaksHTTPLine: Bool {
        self == 0x7F || (self < 0x20 && self != UInt8(ascii: "\t"))
    }
}

private func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
}

private func asciiLowercase(_ byte: UInt8) -> UInt8 {
    UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte | 0x20 : byte
}
