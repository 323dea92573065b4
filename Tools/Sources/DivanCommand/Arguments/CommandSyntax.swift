/// What a command accepts on its line; the help page is made from it.
struct CommandSyntax: Sendable {
    /// The verb, such as `import`; two words, such as `blob get`, where verbs form a group.
    var name: String
    /// Other names of the verb.
    var aliases: [String] = []
    /// One line that says what the verb does.
    var summary: String
    /// The arguments without dashes, in order.
    var operands: [Operand] = []
    /// The options.
    var options: [Option] = []
    /// Longer explanation, shown by `--help`.
    var details = ""
    /// Lines that a person can type, shown by `--help`.
    var examples: [String] = []

    /// What a shell offers where a value is typed.
    enum Completion: Equatable, Sendable {
        case nothing
        case database
        case collection
        case document
        case file
        case word(of: [String])
    }

    /// An argument without dashes.
    struct Operand: Sendable {
        var name: String
        var isOptional = false
        var isRepeating = false
        var completion = Completion.nothing

        /// The operand as the usage line shows it.
        var usage: String {
            let text = isRepeating ? name + "…" : name
            return isOptional ? "[\(text)]" : text
        }
    }

    /// An argument with dashes, with a value or without.
    struct Option: Sendable {
        /// The long name, with its dashes.
        var name: String
        /// The short name, with its dash.
        var short: String?
        /// What the value stands for; `nil` for a switch.
        var value: String?
        /// Whether it may be given more than once.
        var isRepeating = false
        /// What a shell offers as the value.
        var completion = Completion.nothing
        /// One line of help.
        var help: String

        static func flag(_ name: String, short: String? = nil, _ help: String) -> Option {
            Option(name: name, short: short, value: nil, help: help)
        }

        static func value(
            _ name: String,
            _ value: String,
            short: String? = nil,
            isRepeating: Bool = false,
            completion: Completion = .nothing,
            _ help: String
        ) -> Option {
            Option(
                name: name,
                short: short,
                value: value,
                isRepeating: isRepeating,
                completion: completion,
                help: help
            )
        }
    }

    /// The page that `--help` prints.
    var help: String {
        var usage = "Usage: divan \(name)"
        for operand in operands { usage += " " + operand.usage }
        if !options.isEmpty { usage += " [options]" }
        let sentence = summary.prefix(1).uppercased() + summary.dropFirst() + "."
        var sections = [usage, sentence]
        if !aliases.isEmpty {
            sections.append("Also: divan " + aliases.joined(separator: ", divan "))
        }
        if !details.isEmpty { sections.append(Columns.wrapped(details)) }
        let rows = (options + [Self.helpOption]).map { option in
            let short = option.short.map { $0 + ", " } ?? ""
            let value = option.value.map { " " + $0 } ?? ""
            return (left: short + option.name + value, right: option.help)
        }
        sections.append("Options:\n" + Columns.aligned(rows))
        if !examples.isEmpty {
            sections.append("Examples:\n" + examples.map { "  " + $0 }.joined(separator: "\n"))
        }
        return sections.joined(separator: "\n\n")
    }

    static let helpOption = Option.flag("--help", short: "-h", "print this page")
}
