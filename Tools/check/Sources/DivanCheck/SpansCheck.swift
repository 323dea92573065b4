/// A type spans files only if each of them keeps its state private: the number of properties that the
/// whole module may set, and that extensions in other files use, may only fall.
///
/// A constant is not state, and one that only its own file sets (`private(set)`) is not open.
public struct SpansCheck {
    private let tree: SourceTree
    private let ceiling: Int

    /// Checks the given checkout against the maximum.
    public init(_ tree: SourceTree, ceiling: Int = 13) {
        self.tree = tree
        self.ceiling = ceiling
    }

    /// Returns a violation if there are more than the ceiling, and if there are fewer.
    public func violations() throws -> [Violation] {
        let found = try ModuleSources.all(in: tree).flatMap { self.spans(of: $0) }
        let count = found.reduce(0) { $0 + $1.properties.count }
        guard count != ceiling else { return [] }
        let worst = found.sorted { $0.properties.count > $1.properties.count }.prefix(3)
            .map { "\($0.type) (\($0.properties.sorted().joined(separator: ", ")))" }
        return [
            Violation(
                place: "Tools/check/Sources/DivanCheck/SpansCheck.swift",
                problem:
                    "\(count) properties that all may set are used by extensions in other files, the count is "
                    + "\(ceiling)",
                remedy: count > ceiling
                    ? "find the type that owns the state, or put the extension beside it; most have "
                        + worst.joined(separator: ", ")
                    : "lower the count to \(count)"
            )
        ]
    }

    /// A type, and which of its open properties other files use.
    private struct Span {
        let type: Substring
        let properties: Set<Substring>
    }

    private func spans(of module: ModuleSources) -> [Span] {
        var open: [Substring: (file: Int, properties: Set<Substring>)] = [:]
        for (number, file) in module.files.enumerated() {
            for (type, lines) in blocks(of: file, \.declaredType) {
                open[type] = (number, properties(in: lines))
            }
        }
        var used: [Substring: Set<Substring>] = [:]
        for (number, file) in module.files.enumerated() {
            for (type, lines) in blocks(of: file, \.extendedType) {
                guard let own = open[type], own.file != number, !own.properties.isEmpty else {
                    continue
                }
                for line in lines {
                    used[type, default: []].formUnion(own.properties.intersection(line.identifiers))
                }
            }
        }
        return used.filter { !$0.value.isEmpty }.map { Span(type: $0.key, properties: $0.value) }
    }

    /// Blocks from a line that `name` recognises, to the brace under its first character.
    private func blocks(
        of file: ModuleSources.File,
        _ name: (Substring) -> Substring?
    ) -> [(Substring, ArraySlice<Substring>)] {
        var blocks: [(Substring, ArraySlice<Substring>)] = []
        var start: (name: Substring, line: Int)?
        for (number, line) in file.lines.enumerated() {
            if let found = start {
                guard line.utf8.first == UInt8(ascii: "}") else { continue }
                blocks.append((found.name, file.lines[found.line + 1..<number]))
                start = nil
            } else if let found = name(line), line.utf8.last == UInt8(ascii: "{") {
                start = (found, number)
            }
        }
        return blocks
    }

    /// Stored properties that the whole module may set.
    private func properties(in lines: ArraySlice<Substring>) -> Set<Substring> {
        var properties: Set<Substring> = []
        for (index, line) in zip(lines.indices, lines)
        where line.hasPrefix("    ") && !line.hasPrefix("     ") {
            let words = line.identifiers
            guard let place = words.firstIndex(of: "var"),
                words[..<place].allSatisfy({ Self.modifiers.contains($0) }),
                let name = words.dropFirst(place + 1).first
            else { continue }
            let declared = line.firstRange(of: " = ").map { line[..<$0.lowerBound] } ?? line
            let next = lines.dropFirst(index - lines.startIndex + 1).first ?? ""
            let isObserved = next.contains("didSet") || next.contains("willSet")
            if isObserved || !declared.contains("{") { properties.insert(name) }
        }
        return properties
    }

    /// Those that make a property settable within the module only.
    private static let modifiers: Set<Substring> = [
        "lazy", "weak", "unowned", "final", "nonisolated", "unsafe", "exclusivity", "unchecked",
        "internal",
    ]
}

extension Substring {
    /// The type of this module that a top-level line of a file extends.
    fileprivate var extendedType: Substring? {
        let words = identifiers.prefix(4)
        guard utf8.first != UInt8(ascii: " "),
            let place = words.firstIndex(of: "extension"), place < 2,
            let name = words.dropFirst(place + 1).first,
            // A nested type has its own properties.
            !self[name.endIndex...].hasPrefix(".")
        else { return nil }
        return name
    }
}
