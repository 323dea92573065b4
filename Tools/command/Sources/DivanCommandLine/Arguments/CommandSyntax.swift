/// What a command accepts on its line; the help page is generated from it.
package struct CommandSyntax: Sendable {
    /// The name, such as `import`; two words, such as `blob get`, if the command belongs to a group.
    package var name: String
    /// Other names of the command.
    package var aliases: [String]
    /// What the command does: an imperative in lower case, at most 60 characters.
    package var summary: String
    /// The arguments without dashes, in order.
    package var operands: [Operand]
    /// The options.
    package var options: [Option]
    /// A longer explanation of at most three paragraphs, shown by `--help`.
    package var details: String
    /// Lines that a person can type, shown by `--help`.
    package var examples: [String]

    /// Describes what a command accepts.
    package init(
        name: String,
        aliases: [String] = [],
        summary: String,
        operands: [Operand] = [],
        options: [Option] = [],
        details: String = "",
        examples: [String] = []
    ) {
        self.name = name
        self.aliases = aliases
        self.summary = summary
        self.operands = operands
        self.options = options
        self.details = details
        self.examples = examples
    }

    /// What shell completion offers for a value.
    package enum Completion: Equatable, Sendable {
        case nothing
        case database
        case collection
        case document
        case file
        case word(of: [String])
    }

    /// An argument without dashes.
    package struct Operand: Sendable {
        package var name: String
        package var isOptional: Bool
        package var isRepeating: Bool
        package var completion: Completion

        /// Names an operand.
        package init(
            name: String,
            isOptional: Bool = false,
            isRepeating: Bool = false,
            completion: Completion = .nothing
        ) {
            self.name = name
            self.isOptional = isOptional
            self.isRepeating = isRepeating
            self.completion = completion
        }

        /// The operand as shown on the usage line.
        package var usage: String {
            let text = isRepeating ? name + "…" : name
            return isOptional ? "[\(text)]" : text
        }
    }

    /// The sections of a help page that list options, in this order.
    package enum Group: String, CaseIterable, Sendable {
        case connection = "Connection"
        case authentication = "Authentication"
        case filters = "Filter"
        case output = "Output"
        case general = "General"
    }

    /// An argument with dashes, with a value or without.
    package struct Option: Sendable {
        /// The long name, with its dashes.
        package var name: String
        /// The short name, with its dash.
        package var short: String?
        /// The placeholder of the value; `nil` for a switch.
        package var value: String?
        /// Whether it may be given more than once.
        package var isRepeating = false
        /// Whether a comma or a space is a value, and not an empty list.
        package var isCharacter = false
        /// What shell completion offers for the value.
        package var completion = Completion.nothing
        /// The section of the help page that lists the option.
        package var group = Group.general
        /// One line of help.
        package var help: String

        package static func flag(_ name: String, short: String? = nil, _ help: String) -> Option {
            Option(name: name, short: short, value: nil, help: help)
        }

        package static func value(
            _ name: String,
            _ value: String,
            short: String? = nil,
            isRepeating: Bool = false,
            isCharacter: Bool = false,
            completion: Completion = .nothing,
            _ help: String
        ) -> Option {
            Option(
                name: name,
                short: short,
                value: value,
                isRepeating: isRepeating,
                isCharacter: isCharacter,
                completion: completion,
                help: help
            )
        }
    }

    /// The page that `--help` prints.
    package var help: String {
        var usage = "Usage: divan \(name)"
        for operand in operands { usage += " " + operand.usage }
        if !options.isEmpty { usage += " [options]" }
        let sentence = summary.prefix(1).uppercased() + summary.dropFirst() + "."
        var sections = [usage, sentence]
        if !aliases.isEmpty {
            sections.append(aliasLine)
        }
        if !details.isEmpty { sections.append(Columns.wrapped(details)) }
        sections += optionSections
        if !examples.isEmpty {
            sections.append("Examples:\n" + examples.map { "  " + $0 }.joined(separator: "\n"))
        }
        return sections.joined(separator: "\n\n")
    }

    /// The other names of the command, on the help page and in the manual.
    var aliasLine: String {
        (aliases.count == 1 ? "Alias: divan " : "Aliases: divan ")
            + aliases.joined(separator: ", divan ")
    }

    /// The most options that are listed under one title.
    private static let shortListCount = 8

    /// The options by group; under one title if they are few, or all belong to the same group.
    private var optionSections: [String] {
        let all = options + [Self.helpOption]
        let groups = Group.allCases.filter { group in all.contains { $0.group == group } }
        guard groups.count > 1, all.count > Self.shortListCount else {
            return ["Options:\n" + Columns.aligned(all.map { (left: $0.usage, right: $0.help) })]
        }
        let width = all.map { $0.usage.count }.filter { $0 <= Columns.leftWidth }.max() ?? 0
        return groups.map { group in
            let rows = all.filter { $0.group == group }
                .map { (left: $0.usage.padding(to: width), right: $0.help) }
            return "\(group.rawValue) options:\n\(Columns.aligned(rows))"
        }
    }

    package static let helpOption = Option.flag("--help", short: "-h", "show this help")
}

extension CommandSyntax.Option {
    /// The option as a help page lists it, such as `-o, --output FILE`.
    fileprivate var usage: String {
        (short.map { $0 + ", " } ?? "") + name + (value.map { " " + $0 } ?? "")
    }

    /// The same option, listed in a section of the help page.
    package func grouped(_ group: CommandSyntax.Group) -> CommandSyntax.Option {
        var option = self
        option.group = group
        return option
    }
}

extension [CommandSyntax.Option] {
    /// The same options, listed in a section of the help page.
    package func grouped(_ group: CommandSyntax.Group) -> [CommandSyntax.Option] {
        map { $0.grouped(group) }
    }
}
