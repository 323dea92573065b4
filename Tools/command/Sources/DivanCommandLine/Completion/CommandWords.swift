/// The names of commands as a shell sees them, word by word.
struct CommandWords {
    /// The possible first words, each once.
    let first: [String]
    /// The possible second words of a group.
    let groups: [(name: String, seconds: [String])]

    init(_ verbs: [CommandSyntax]) {
        var first: [String] = []
        var groups: [(name: String, seconds: [String])] = []
        for name in verbs.flatMap({ [$0.name] + $0.aliases }) {
            let words = name.split(separator: " ").map(String.init)
            if !first.contains(words[0]) { first.append(words[0]) }
            guard words.count == 2 else { continue }
            if let index = groups.firstIndex(where: { $0.name == words[0] }) {
                groups[index].seconds.append(words[1])
            } else {
                groups.append((words[0], [words[1]]))
            }
        }
        self.first = first
        self.groups = groups
    }
}

extension CommandSyntax.Completion {
    /// One word for the kind of completion.
    var kind: String {
        switch self {
        case .nothing: "nothing"
        case .database: "database"
        case .collection: "collection"
        case .document: "document"
        case .file: "file"
        case .word: "word"
        }
    }
}
