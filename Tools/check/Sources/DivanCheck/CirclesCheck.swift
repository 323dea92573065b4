/// Files of a module that refer to each other's types in a cycle cannot be read one by one: the number of
/// cycles, and of files in them, may only fall.
public struct CirclesCheck {
    private let tree: SourceTree
    private let ceiling: (circles: Int, files: Int)

    /// Checks the given checkout against the maximum.
    public init(_ tree: SourceTree, ceiling: (circles: Int, files: Int) = (circles: 24, files: 98))
    {
        self.tree = tree
        self.ceiling = ceiling
    }

    /// Returns a violation if there are more than the ceiling, and if there are fewer.
    public func violations() throws -> [Violation] {
        let circles = try ModuleSources.all(in: tree).flatMap { self.circles(of: $0) }
        let found = (circles: circles.count, files: circles.reduce(0) { $0 + $1.count })
        guard found != ceiling else { return [] }
        let isMore = found.circles > ceiling.circles || found.files > ceiling.files
        return [
            Violation(
                place: "Tools/check/Sources/DivanCheck/CirclesCheck.swift",
                problem: "\(found.files) files stand in \(found.circles) circles, "
                    + "the count is \(ceiling.files) in \(ceiling.circles)",
                remedy: isMore
                    ? "give what both name a file of its own; Tools/scripts/sizes -v lists the circles"
                    : "lower the count to it"
            )
        ]
    }

    /// The groups of files that refer to each other's types, directly or indirectly; a private type is referred
    /// to only by its own file.
    private func circles(of module: ModuleSources) -> [[Int]] {
        var owners: [Substring: Int] = [:]
        for (number, file) in module.files.enumerated() {
            for line in file.lines where !line.isPrivate {
                guard let name = line.declaredType, owners[name] == nil else { continue }
                owners[name] = number
            }
        }
        let named = module.files.enumerated().map { number, file in
            var others: Set<Int> = []
            for line in file.lines {
                for word in line.ownIdentifiers {
                    if let owner = owners[word], owner != number { others.insert(owner) }
                }
            }
            return others
        }
        var search = CircleSearch(named)
        return search.circles()
    }
}

/// Finds cycles with Tarjan's algorithm.
private struct CircleSearch {
    private let named: [Set<Int>]
    private var order: [Int?]
    private var lowest: [Int]
    private var path: [Int] = []
    private var onPath: Set<Int> = []
    private var count = 0
    private var found: [[Int]] = []

    init(_ named: [Set<Int>]) {
        self.named = named
        order = Array(repeating: nil, count: named.count)
        lowest = Array(repeating: 0, count: named.count)
    }

    mutating func circles() -> [[Int]] {
        for start in named.indices where order[start] == nil { visit(start) }
        return found
    }

    private mutating func visit(_ file: Int) {
        let own = count
        order[file] = own
        lowest[file] = own
        count += 1
        path.append(file)
        onPath.insert(file)
        for other in named[file].sorted() {
            if let known = order[other] {
                if onPath.contains(other) { lowest[file] = min(lowest[file], known) }
            } else {
                visit(other)
                lowest[file] = min(lowest[file], lowest[other])
            }
        }
        guard lowest[file] == own, let start = path.lastIndex(of: file) else { return }
        let circle = Array(path[start...])
        path.removeSubrange(start...)
        onPath.subtract(circle)
        if circle.count > 1 { found.append(circle) }
    }
}

extension Substring {
    fileprivate var isPrivate: Bool { hasPrefix("private ") || hasPrefix("fileprivate ") }

    /// The identifiers of a line, except those after another module's name, such as
    /// `Swift.Result`.
    fileprivate var ownIdentifiers: [Substring] {
        var module: Substring?
        return identifiers.filter { word in
            defer { module = word.isModule ? word : nil }
            guard let module else { return true }
            return self[module.endIndex..<word.startIndex] != "."
        }
    }

    private var isModule: Bool { self == "Swift" || hasPrefix("Divan") && count > 5 }
}
