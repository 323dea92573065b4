/// The manual page of the program in the man(7) format, generated from what each command accepts.
package struct ManualPage {
    /// Rows of a list: terms and their explanations.
    package typealias Rows = [(left: String, right: String)]

    private let version: String
    private let introduction: String
    private let families: [(title: String, verbs: [CommandSyntax])]
    private let exitCodes: Rows
    private let variables: Rows

    /// Takes the contents of the page.
    package init(
        version: String,
        introduction: String,
        families: [(title: String, verbs: [CommandSyntax])],
        exitCodes: Rows,
        variables: Rows
    ) {
        self.version = version
        self.introduction = introduction
        self.families = families
        self.exitCodes = exitCodes
        self.variables = variables
    }

    /// The complete page.
    package var text: String {
        var lines = [
            ".TH DIVAN 1 \"\" \"divan \(Self.escaped(version))\" \"User Commands\"", ".nh",
            ".ad l", ".SH NAME",
            #"divan \- create, query and sync JSON document databases"#,
            ".SH SYNOPSIS", ".B divan", #".I COMMAND \fR[\fIarguments\fR] [\fIoptions\fR]"#,
            ".SH DESCRIPTION",
        ]
        lines += Self.paragraphs(introduction)
        for family in families {
            lines.append(".SH " + Self.escaped(family.title.uppercased()))
            for verb in family.verbs { lines += Self.section(verb) }
        }
        lines.append(".SH EXIT STATUS")
        for row in exitCodes { lines += Self.item("\\fB\(Self.escaped(row.left))\\fR", row.right) }
        lines.append(".SH ENVIRONMENT")
        for row in variables { lines += Self.item("\\fB\(Self.escaped(row.left))\\fR", row.right) }
        return lines.joined(separator: "\n")
    }

    private static func section(_ verb: CommandSyntax) -> [String] {
        var usage = "divan \(verb.name)"
        for operand in verb.operands { usage += " " + operand.usage }
        if !verb.options.isEmpty { usage += " [options]" }
        let sentence = verb.summary.prefix(1).uppercased() + verb.summary.dropFirst() + "."
        var lines = [".SS " + escaped(usage), escaped(sentence)]
        if !verb.aliases.isEmpty {
            lines += [".PP", escaped(verb.aliasLine)]
        }
        if !verb.details.isEmpty { lines += [".PP"] + paragraphs(verb.details) }
        for option in verb.options {
            let names = ([option.short].compactMap(\.self) + [option.name])
                .map { "\\fB\(escaped($0))\\fR" }.joined(separator: ", ")
            let value = option.value.map { " \\fI\(escaped($0))\\fR" } ?? ""
            lines += item(names + value, option.help)
        }
        guard !verb.examples.isEmpty else { return lines }
        return lines + [".PP", ".RS 4", ".nf"] + verb.examples.map(escaped) + [".fi", ".RE"]
    }

    private static func item(_ head: String, _ text: String) -> [String] {
        [".TP", head, escaped(text)]
    }

    /// Paragraphs, separated by empty lines; lines that begin with two spaces stay as they are.
    private static func paragraphs(_ text: String) -> [String] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let paragraphs = lines.split(separator: "").map { paragraph in
            paragraph.contains { $0.hasPrefix("  ") }
                ? [".nf"] + paragraph.map(escaped) + [".fi"] : paragraph.map(escaped)
        }
        return Array(paragraphs.joined(separator: [".PP"]))
    }

    /// A line of plain text, whatever it begins with.
    private static func escaped(_ text: some StringProtocol) -> String {
        var line = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": line += #"\e"#
            case "-": line += #"\-"#
            case "'": line += #"\(aq"#
            case "`": line += #"\(ga"#
            case "^": line += #"\(ha"#
            case "~": line += #"\(ti"#
            case _ where scalar.isASCII: line.unicodeScalars.append(scalar)
            default:
                let digits = String(scalar.value, radix: 16, uppercase: true)
                line += "\\[u\(String(repeating: "0", count: max(0, 4 - digits.count)))\(digits)]"
            }
        }
        return line.hasPrefix(".") ? "\\&" + line : line
    }
}
