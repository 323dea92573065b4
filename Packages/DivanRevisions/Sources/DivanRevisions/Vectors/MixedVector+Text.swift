extension MixedVector {
    /// Parses a vector followed by tree IDs, or only tree IDs.
    ///
    /// - Parameters:
    ///   - text: UTF-8.
    ///   - acceptsMe: Whether sources can be `*`, which peers must not send.
    /// - Throws: `malformedText` with the place, `repeatedSource`, `tooManyEntries`.
    public init(utf8 text: Span<UInt8>, acceptsMe: Bool = false) throws(VersionError) {
        var reader = MixedVectorReader(acceptsMe: acceptsMe)
        try reader.read(text)
        self = try reader.finish()
    }

    /// Parses text as `init(utf8:acceptsMe:)` does.
    public init(_ text: String, acceptsMe: Bool = false) throws(VersionError) {
        try self.init(utf8: text.utf8.span, acceptsMe: acceptsMe)
    }

    /// Joins the ID of a revision and its history from a peer.
    ///
    /// - Throws: As `init(utf8:acceptsMe:)`.
    public init(_ id: RevisionID, history: String) throws(VersionError) {
        var reader = MixedVectorReader(acceptsMe: false)
        reader.begin(with: id, mergesFollow: history.utf8.contains(UInt8(ascii: ";")))
        // Spaces may follow every separator, so also the one after the name.
        let rest = history.utf8.drop { $0 == UInt8(ascii: " ") }
        if !rest.isEmpty { try reader.read(Array(rest).span) }
        self = try reader.finish()
    }

    /// Appends the text in the form of Couchbase Lite.
    public func appendText(to output: inout [UInt8]) {
        vector.appendText(to: &output)
        for (index, id) in legacy.enumerated() {
            if index == 0, !isLegacy {
                let separator =
                    vector.previous.isEmpty ? (vector.mergeCount > 0 ? " " : "; ") : ", "
                output.append(contentsOf: separator.utf8)
            } else if index > 0 {
                output.append(contentsOf: ", ".utf8)
            }
            id.appendText(to: &output)
        }
    }

    /// The part of the text after the revision's ID; empty if there is no history.
    public var history: String {
        var text: [UInt8] = []
        appendText(to: &text)
        let separators = [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: " ")]
        let rest = text.drop { !separators.contains($0) }.drop { separators.contains($0) }
        return String(decoding: rest, as: UTF8.self)
    }
}

extension MixedVector: CustomStringConvertible {
    /// The text.
    public var description: String {
        var text: [UInt8] = []
        appendText(to: &text)
        return String(decoding: text, as: UTF8.self)
    }
}

/// Collects the entries of a mixed vector, left to right, in one pass.
private struct MixedVectorReader {
    let acceptsMe: Bool
    private var versions: [Version] = []
    private var legacy: [RevisionID] = []
    /// How many versions came before the semicolon, once there was one.
    private var headCount: Int?
    /// Whether an empty entry followed the semicolon: Sync Gateway writes one if versions were
    /// merged, none came before them, and tree IDs follow.
    private var isTreeIDsOnly = false

    init(acceptsMe: Bool) {
        self.acceptsMe = acceptsMe
    }

    mutating func begin(with id: RevisionID, mergesFollow: Bool) {
        if let version = id.version {
            versions = [version]
            if !mergesFollow { headCount = 1 }
        } else {
            legacy = [id]
        }
    }

    mutating func read(_ text: Span<UInt8>) throws(VersionError) {
        var (start, isBehindSemicolon) = (0, false)
        while start < text.count {
            var end = start
            while end < text.count, text[end] != UInt8(ascii: ","), text[end] != UInt8(ascii: ";") {
                end += 1
            }
            if isBehindSemicolon, end == start, end < text.count, text[end] == UInt8(ascii: ",") {
                isTreeIDsOnly = true
            } else {
                try take(text.extracting(start..<end), at: start)
            }
            guard end < text.count else { return }
            let isSemicolon = text[end] == UInt8(ascii: ";")
            isBehindSemicolon = isSemicolon
            if isSemicolon {
                guard headCount == nil, legacy.isEmpty else { throw .malformedText(offset: end) }
                headCount = versions.count
            }
            start = end + 1
            while start < text.count, text[start] == UInt8(ascii: " ") { start += 1 }
            // A semicolon may be last; a comma must be followed by something.
            guard isSemicolon || start < text.count else { throw .malformedText(offset: end) }
        }
    }

    private mutating func take(_ entry: Span<UInt8>, at offset: Int) throws(VersionError) {
        guard versions.count + legacy.count < VersionLimits.receivedCount else {
            throw .tooManyEntries(limit: VersionLimits.receivedCount)
        }
        if let id = RevisionID(utf8: entry) {
            // A tree's revision cannot be among the merged ones.
            guard versions.isEmpty || headCount != nil else { throw .malformedText(offset: offset) }
            legacy.append(id)
        } else {
            guard legacy.isEmpty, !isTreeIDsOnly,
                let version = Version(utf8: entry, acceptsMe: acceptsMe)
            else {
                throw .malformedText(offset: offset)
            }
            versions.append(version)
        }
    }

    func finish() throws(VersionError) -> MixedVector {
        let vector = try VersionVector(versions, mergeCount: (headCount ?? versions.count) - 1)
        return MixedVector(vector: vector, legacy: legacy)
    }
}
