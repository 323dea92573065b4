import Foundation

/// `Tools/command/messages.md`: error messages by area.
struct MessagePage {
    static let place = Guide.root.appending(path: "Tools/command/messages.md")

    private static let head = """
        # Messages

        Error messages of the command and the library, for review against [Writing](../../Docs/contributing/writing.md). \
        The suite `MessagesTests` runs each command and compares its output with this page. \
        `make messages` regenerates the page.

        Warnings and notes are omitted. DIR is the current directory. PORT, NUMBER, TIME, \
        REVISION, DIGEST and RANDOM replace values that differ from run to run.

        """

    /// The text below each heading.
    private(set) var sections: [String: String] = [:]

    /// Parses a page.
    init(_ text: String) {
        for section in text.components(separatedBy: "\n## ").dropFirst() {
            let title = String(section.prefix { $0 != "\n" })
            let rest = String(section.dropFirst(title.count))
            sections[title] = rest.trimmingCharacters(in: .newlines)
        }
    }

    /// Replaces the section of an area.
    mutating func replace(_ title: String, words: String, language: String, _ blocks: [String]) {
        let block = "```\(language)\n" + blocks.joined(separator: "\n\n") + "\n```"
        sections[title] = words + "\n\n" + block
    }

    /// The page with the sections of `titles`, in that order.
    func text(_ titles: [String]) -> String {
        var text = Self.head
        for title in titles { text += "\n## \(title)\n\n\(sections[title, default: ""])\n" }
        return text
    }

    /// The entries of a section: the parts of its block between empty lines.
    func blocks(_ title: String) -> [String] {
        let parts = sections[title, default: ""].components(separatedBy: "```")
        guard parts.count > 1 else { return [] }
        // The first line names the language.
        let lines = parts[1].split(separator: "\n", omittingEmptySubsequences: false).dropFirst()
        return lines.joined(separator: "\n").trimmingCharacters(in: .newlines)
            .components(separatedBy: "\n\n")
    }

    /// A message without what differs from run to run.
    static func masked(_ text: String, in directory: String) -> String {
        var text = text.trimmingCharacters(in: .newlines).replacing(directory, with: "DIR")
        text.replace(/127\.0\.0\.1:\d{4,5}\b/, with: "127.0.0.1:PORT")
        text.replace(/\bport \d{4,5}\b/, with: "port PORT")
        text.replace(/\bprocess \d+/, with: "process NUMBER")
        text.replace(/\bsince \d\d:\d\d\b/, with: "since TIME")
        text.replace(/\b\d+-[0-9a-f]{40}\b/, with: "REVISION")
        text.replace(/\bsha1-[A-Za-z0-9+\/]{27}=/, with: "DIGEST")
        text.replace(/divan-edit-\w{6}\b/, with: "divan-edit-RANDOM")
        return text
    }
}
