import CDivanLineEditor
import DivanJSON
import DivanPlatform
import DivanQuery

/// The line editor, with the history of earlier sessions.
final class LineEditor {
    /// The result of reading a line.
    enum Reading {
        case line(String)
        /// Ctrl-C; what was typed is to be discarded.
        case interrupted
        /// Ctrl-D on an empty line, or the end of the terminal.
        case end
    }

    /// Lines that are kept for the next session.
    private static let lineCount: Int32 = 1_000

    private let path: String?

    /// Loads the words that the tab key completes from a database.
    init(_ session: QuerySession) throws {
        path = CurrentProcess.variable("HOME").map { $0 + "/.divan_history" }
        if let path { divan_line_load(path) }
        try complete(session)
    }

    deinit {
        if let path { _ = divan_line_save(path, Self.lineCount) }
    }

    func read(_ prompt: String) -> Reading {
        var isInterrupted = false
        guard let typed = divan_line_read(prompt, &isInterrupted) else { return .end }
        defer { Memory.free(typed) }
        if isInterrupted { return .interrupted }
        // Bytes that are not text are no query either.
        let line = String(cString: typed)
        if !line.isEmpty { divan_line_remember(line) }
        return .line(line)
    }

    /// The language, the collections, and properties of the first documents of each.
    private func complete(_ session: QuerySession) throws {
        let (collections, properties) = try session.names()
        let words = Set(properties + QueryWords.all + collections)
        set(words.sorted(), DIVAN_LINE_ANYWHERE)
        set(properties, DIVAN_LINE_MEMBERS)
        set(collections.sorted(), DIVAN_LINE_SOURCES)
        set(DotCommand.lines, DIVAN_LINE_ORDERS)
    }

    private func set(_ words: [String], _ kind: divan_line_words) {
        let copies = words.map { Memory.cString($0) }
        defer { for copy in copies { Memory.free(copy) } }
        divan_line_set_words(kind, copies.map { UnsafePointer($0) }, copies.count)
    }
}
