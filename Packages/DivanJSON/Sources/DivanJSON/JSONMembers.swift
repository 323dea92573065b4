/// The members of an object; long objects are kept as text.
///
/// A short text (below 64 KiB) is parsed as a tree. A longer text is only scanned: a member is parsed when it is
/// requested, and the canonical text is written from the original text. So a document of 20 MB needs little more
/// memory than its text, while a tree of small numbers needs thirty times the size.
public struct JSONMembers: Sendable {
    /// Replaces values while they are written: receives the outermost key and a value at any depth below it, and
    /// returns a replacement, or `nil` to keep the value.
    ///
    /// It receives every short container, every long object with a key `@type`, and every changed member, but not
    /// the containers within these.
    public typealias Replacement = (_ key: String, _ value: JSON) throws -> JSON?

    /// A member that differs from the text: its value, or `nil` if it is removed.
    struct Change: Sendable {
        let key: String
        var value: JSON?
    }

    enum Storage: Sendable {
        case tree(JSONObject)
        /// A text, the changes of its members in canonical order, and the array that is the text.
        case text(LongText, [Change], whole: [UInt8]?)
    }

    private(set) var storage: Storage

    /// Reads text with the same checks as the parser; `nil` for a value that is not an object.
    ///
    /// - Throws: `JSONError` with the first problem.
    public init?(parsing text: [UInt8], limits: JSONLimits = .default) throws(JSONError) {
        try self.init(text[...], whole: text, limits)
    }

    /// Reads text with the same checks as the parser; `nil` for a value that is not an object.
    ///
    /// - Throws: `JSONError` with the first problem.
    public init?(parsing text: ArraySlice<UInt8>, limits: JSONLimits = .default) throws(JSONError) {
        try self.init(text, whole: nil, limits)
    }

    init?(
        _ text: ArraySlice<UInt8>,
        whole: [UInt8]?,
        _ limits: JSONLimits,
        longByteCount: Int = LongText.byteCount
    ) throws(JSONError) {
        let storage: Storage?
        if text.count < longByteCount {
            storage = try JSON(parsing: text, limits: limits).object.map { .tree($0) }
        } else {
            storage = try LongText(text, limits: limits, longByteCount: longByteCount)
                .map { .text($0, [], whole: whole) }
        }
        guard let storage else { return nil }
        self.storage = storage
    }

    /// Wraps members.
    public init(_ object: JSONObject) {
        storage = .tree(object)
    }

    /// The members as a tree if their text was short; `nil` if they are kept as text.
    public var tree: JSONObject? {
        if case .tree(let object) = storage { object } else { nil }
    }

    /// Whether the text may contain a blob or attachments; always `true` for a tree.
    public var mayHoldBlobs: Bool {
        switch storage {
        case .tree: true
        case .text(let text, let changes, _):
            text.mayHoldBlobs
                || changes.contains { $0.value?.array != nil || $0.value?.object != nil }
        }
    }

    /// The value of `key`, parsed again at each call; setting `nil` removes the member.
    public subscript(key: String) -> JSON? {
        get {
            switch storage {
            case .tree(let object): return object[key]
            case .text(let text, let changes, _):
                let change = changes.first { $0.key.hasSameBytes(as: key) }
                if let change { return change.value }
                return text.value(of: key)
            }
        }
        set {
            switch storage {
            case .tree(var object):
                storage = .tree(JSONObject())
                object[key] = newValue
                storage = .tree(object)
            case .text(let text, var changes, let whole):
                guard newValue != nil || contains(key) else { return }
                changes.removeAll { $0.key.hasSameBytes(as: key) }
                let place = changes.firstIndex { key.precedesByBytes($0.key) } ?? changes.count
                changes.insert(Change(key: key, value: newValue), at: place)
                storage = .text(text, changes, whole: whole)
            }
        }
    }

    /// Whether there is a member `key`, even if it is `null`.
    public func contains(_ key: String) -> Bool {
        switch storage {
        case .tree(let object): return object.contains(key)
        case .text(let text, let changes, _):
            let change = changes.first { $0.key.hasSameBytes(as: key) }
            if let change { return change.value != nil }
            return text.textOfValue(of: key) != nil
        }
    }

    /// The original text of a member's value; `nil` if the member does not exist or was changed, or if the members
    /// are a tree.
    public func text(of key: String) -> ArraySlice<UInt8>? {
        guard case .text(let text, let changes, _) = storage,
            !changes.contains(where: { $0.key.hasSameBytes(as: key) })
        else { return nil }
        return text.textOfValue(of: key)
    }

    /// The canonical text.
    ///
    /// - Throws: `JSONError` if a member that was set cannot be written.
    public func canonicalBytes() throws -> [UInt8] {
        switch storage {
        case .tree(let object): try JSON.object(object).canonicalBytes()
        case .text(let text, let changes, let whole) where text.isCanonical && changes.isEmpty:
            whole ?? Array(text.bytes)
        case .text: try canonicalBytes(replacing: nil)
        }
    }

    /// The canonical text, with values replaced.
    ///
    /// - Throws: The errors of `replacing`, and `JSONError` if a value cannot be written.
    public func canonicalBytes(replacing: Replacement?) throws -> [UInt8] {
        var bytes: [UInt8] = []
        if case .text(let text, _, _) = storage { bytes.reserveCapacity(text.bytes.count + 1_024) }
        try write(replacing: replacing) { piece in
            piece.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
        }
        return bytes
    }

    /// Passes the canonical text to a closure in pieces.
    ///
    /// - Throws: The errors of `replacing` and `sink`, and `JSONError` if a value cannot be written.
    public func write(
        replacing: Replacement? = nil,
        to sink: (Span<UInt8>) throws -> Void
    ) throws {
        switch storage {
        case .tree(let object):
            let bytes = try Self.replaced(object, by: replacing).canonicalBytes()
            try sink(bytes.span)
        case .text(let text, let changes, _):
            try LongTextWriter.write(text, changes, replacing: replacing, to: sink)
        }
    }

    private static func replaced(
        _ object: JSONObject,
        by replacing: Replacement?
    ) throws -> JSON {
        guard let replacing else { return .object(object) }
        var members: [JSONObject.Member] = []
        for member in object {
            let value = try replacing(member.key, member.value) ?? member.value
            members.append((member.key, value))
        }
        return .object(JSONObject(members))
    }
}

extension LongText {
    /// The value of a key; `nil` if there is none.
    fileprivate func value(of key: String) -> JSON? {
        // The text was checked, so reading it again cannot fail.
        textOfValue(of: key).flatMap { try? JSON(parsing: $0, limits: Self.unlimited) }
    }

    /// The text of the value of a key; `nil` if there is none.
    fileprivate func textOfValue(of key: String) -> ArraySlice<UInt8>? {
        guard let range = range(of: key) else { return nil }
        let start = bytes.startIndex
        return bytes[start + range.lowerBound..<start + range.upperBound]
    }

    private func range(of key: String) -> Range<Int>? {
        bytes.withUnsafeBufferPointer { bytes in
            guard let base = bytes.baseAddress else { return nil }
            var lexer = Lexer(base: base, end: bytes.count, position: 0)
            // The text was checked, so reading it again cannot fail.
            guard let place = try? place(of: key, &lexer), (try? lexer.skipValue(ends)) != nil
            else { return nil }
            return place..<lexer.position
        }
    }

    private static let unlimited = JSONLimits(depth: .max, byteCount: .max)
}
