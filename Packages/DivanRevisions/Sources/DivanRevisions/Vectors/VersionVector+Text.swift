extension VersionVector {
    /// Parses `current[, merged…][; previous…]`; spaces after a separator are skipped.
    ///
    /// - Parameters:
    ///   - text: UTF-8.
    ///   - acceptsMe: Whether sources can be `*`, which peers must not send.
    /// - Throws: `malformedText`, `repeatedSource`, `tooManyEntries`.
    public init(utf8 text: Span<UInt8>, acceptsMe: Bool = false) throws(VersionError) {
        let mixed = try MixedVector(utf8: text, acceptsMe: acceptsMe)
        guard mixed.legacy.isEmpty else { throw .malformedText(offset: 0) }
        self = mixed.vector
    }

    /// Parses text as `init(utf8:acceptsMe:)` does.
    public init(_ text: String, acceptsMe: Bool = false) throws(VersionError) {
        try self.init(utf8: text.utf8.span, acceptsMe: acceptsMe)
    }

    /// Appends the text in the form of Couchbase Lite: `, ` and `; ` between versions, and a semicolon at the end
    /// if there are merged versions but no previous versions.
    public func appendText(to output: inout [UInt8]) {
        for (index, version) in versions.enumerated() {
            if index > 0 {
                output.append(UInt8(ascii: index == mergeCount + 1 ? ";" : ","))
                output.append(UInt8(ascii: " "))
            }
            version.appendText(to: &output)
        }
        if mergeCount > 0, versions.count == mergeCount + 1 { output.append(UInt8(ascii: ";")) }
    }
}

extension VersionVector: CustomStringConvertible {
    /// The text.
    public var description: String {
        var text: [UInt8] = []
        appendText(to: &text)
        return String(decoding: text, as: UTF8.self)
    }
}
