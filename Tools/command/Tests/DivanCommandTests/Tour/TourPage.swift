/// A tour as a page of the documentation.
struct TourPage {
    let text: String

    init(_ tour: Tour) {
        var parts = [Self.head, Self.block(tour.opening)]
        parts.append(
            "Another terminal, while that one serves. `divan --help` lists all commands, "
                + "`divan COMMAND --help` explains one."
        )
        for (index, chapter) in tour.chapters.enumerated() {
            parts.append("## \(index + 1). \(chapter.step.title)")
            parts.append(chapter.step.words)
            parts.append(Self.block(chapter.entries))
        }
        parts.append("## The end")
        parts.append("Ctrl-C in the first terminal. Whatever has begun is finished first.")
        parts.append("```console\n\(tour.ending)\n```")
        text = parts.joined(separator: "\n\n") + "\n"
    }

    private static let head = """
        # Ten things, typed

        What people do most with a database that is being served: each line was typed on a terminal \
        of 80 columns by a test (`TourTests`), and below it stands what came. The test compares this \
        page with what comes today, but for ports, times, sizes, keys and revisions; `make tour` \
        types it anew.

        One terminal makes a database, and serves it to whoever knows a password and comes over TLS. \
        Leave `--interface` out to be reached from other machines.
        """

    private static func block(_ entries: [TypedShell.Entry]) -> String {
        let lines = entries.map { entry in
            "\(TypedShell.prompt)\(entry.line)\n"
                + (entry.output.isEmpty ? "" : entry.output + "\n")
        }
        return "```console\n\(lines.joined())```"
    }

    /// A text without what differs from run to run.
    static func masked(_ text: String) -> String {
        var text = text
        text.replace(/:\d{4,5}\b/, with: ":PORT")
        text.replace(/port \d+/, with: "port PORT")
        text.replace(/[0-9A-F]{2}(:[0-9A-F]{2}){15,}/, with: "KEY")
        text.replace(/\b[0-9a-f]{32,64}\b/, with: "KEY")
        text.replace(/\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?)?Z?/, with: "DATE")
        text.replace(/\d+-[0-9a-f]{6,40}…?/, with: "REVISION")
        text.replace(/\d[\d,.]* ?(documents?|[kMGT]?B)\/s/, with: "RATE")
        text.replace(/\d[\d,.]* [kMGT]?B\b/, with: "SIZE")
        text.replace(/(\d+ min )?\d[\d.]* m?s\b/, with: "TIME")
        text.replace(/process \d+/, with: "process N")
        text.replace(/[ ]+/, with: " ")
        text.replace(/-{3,}/, with: "---")
        return text
    }
}
