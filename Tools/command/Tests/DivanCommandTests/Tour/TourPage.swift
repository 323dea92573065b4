/// A tour as a page of the documentation.
struct TourPage {
    let text: String

    init(_ tour: Tour) {
        var parts = [Self.head, Self.block(tour.opening)]
        parts.append(
            "Use a second terminal for the following commands. `divan --help` lists all commands, "
                + "and `divan COMMAND --help` explains one."
        )
        for (index, chapter) in tour.chapters.enumerated() {
            parts.append("## \(index + 1). \(chapter.step.title)")
            parts.append(chapter.step.words)
            parts.append(Self.block(chapter.entries))
        }
        parts.append("## Stop the server")
        parts.append(
            "Press Ctrl-C in the first terminal. The server completes running requests first."
        )
        parts.append("```console\n\(tour.ending)\n```")
        text = parts.joined(separator: "\n\n") + "\n"
    }

    private static let head = """
        # Tour of the command

        The ten most common tasks with a database that is being served, and their output. The test \
        `TourTests` runs each line and compares the output with this page, except for ports, \
        times, sizes, keys and revisions. `make tour` regenerates the page.

        The first terminal creates a database and serves it over TLS to clients with the password. \
        Omit `--interface` to accept connections from other machines.
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
        // In a URL that a terminal breaks before the port.
        text.replace(/\b\d{4,5}\/travel\b/, with: "PORT/travel")
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
