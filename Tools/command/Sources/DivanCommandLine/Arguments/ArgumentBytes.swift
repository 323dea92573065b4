/// The command line as the system stores it, before it was converted to strings.
///
/// Swift's own list has the replacement character (U+FFFD) instead of bytes that are not UTF-8: two
/// different words would become the same ID, and neither would be the typed one.
package enum ArgumentBytes {
    /// More than Linux accepts.
    private static let byteLimit = 16 << 20

    /// Refuses words whose bytes are not UTF-8.
    ///
    /// - Throws: `Failure` with the number of the argument.
    package static func check(_ words: [String]) throws(Failure) {
        let doubtful = words.indices.filter { words[$0].unicodeScalars.contains("\u{FFFD}") }
        guard let first = doubtful.first else { return }
        // The character itself may be typed, too.
        let bytes = try InputFile("/proc/self/cmdline").rest(limit: byteLimit)
        let typed = bytes.split(separator: 0, omittingEmptySubsequences: false)
            .dropFirst().prefix(words.count).map { String(validating: $0, as: UTF8.self) }
        if typed == words { return }
        let index = typed.firstIndex { $0 == nil } ?? first
        throw Failure(
            kind: .invalid,
            sentence: "argument \(index + 1) is not valid UTF-8: '\(words[index].prefix(60))'",
            hint: "write IDs, names and paths in UTF-8"
        )
    }
}
