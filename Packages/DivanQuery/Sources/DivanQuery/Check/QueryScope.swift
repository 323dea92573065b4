import DivanJSON

/// The names that stand for a statement's sources.
struct QueryScope {
    /// One source and its names.
    struct Source {
        var form: CheckedSource.Form
        /// The name after `AS`.
        var alias: ExactText?
        /// The paths that lead to it, the longest first; they are the first steps of a property.
        var names: [[ExactText]]
        /// Other paths that lead to it unless something else has that name, such as its full name.
        var otherNames: [[ExactText]] = []
        /// The title of a column that shows all of it.
        var title: ExactText
    }

    private(set) var sources: [Source] = []

    /// Whether a property must begin with the name of a source.
    var needsNames: Bool { sources.count > 1 }

    mutating func add(_ source: Source) throws(QueryError) {
        if let name = source.names.first,
            sources.contains(where: { $0.names.first.map { Self.isSame($0, name) } ?? false })
        {
            throw QueryError("duplicate alias '\(Self.text(name))'; rename one of them")
        }
        sources.append(source)
        disambiguateTitles()
    }

    /// Collections of the same name in different scopes are titled with both.
    private mutating func disambiguateTitles() {
        guard let last = sources.last, let collection = last.unnamedCollection else { return }
        let alike = sources.indices.filter { index in
            sources[index].unnamedCollection?.name == collection.name
        }
        guard alike.contains(where: { sources[$0].unnamedCollection != collection }) else { return }
        for index in alike {
            guard let collection = sources[index].unnamedCollection else { continue }
            sources[index].title = ExactText(Self.text([collection.scope, collection.name]))
        }
    }

    /// The names that properties of the first few sources may begin with, for messages.
    var names: [String] {
        sources.prefix(3).compactMap { source in
            source.alias?.text ?? source.names.last.map { Self.text($0) }
        }
    }

    /// The source that the first steps of a path name, and how many steps.
    func source(namedBy path: QueryPath) -> (source: Int, steps: Int)? {
        let isNamed = sources.contains { $0.names.contains { Self.begins(path, with: $0) } }
        guard isNamed else { return source(alsoNamedBy: path) }
        guard let found = source(calledBy: path) else { return nil }
        // `_default._default.n FROM _default` refers to it by its full name.
        return (found.source, max(found.steps, sources[found.source].stepsOfOtherName(path) ?? 0))
    }

    private func source(alsoNamedBy path: QueryPath) -> (source: Int, steps: Int)? {
        var found: [(source: Int, steps: Int)] = []
        for (number, source) in sources.enumerated() {
            if let steps = source.stepsOfOtherName(path) { found.append((number, steps)) }
        }
        let most = found.map(\.steps).max()
        let longest = found.filter { $0.steps == most }
        return longest.count == 1 ? longest[0] : nil
    }

    private func source(calledBy path: QueryPath) -> (source: Int, steps: Int)? {
        var found: (source: Int, steps: Int)?
        for (number, source) in sources.enumerated() {
            for name in source.names where Self.begins(path, with: name) {
                // `chairs` in two scopes is ambiguous; `shop.chairs` is not.
                if let other = found, other.steps == name.count, other.source != number {
                    let isExact = sources[other.source].names.first?.count == name.count
                    if isExact { continue }
                    if source.names.first?.count != name.count { return nil }
                }
                if name.count >= found?.steps ?? 0 { found = (number, name.count) }
            }
        }
        return found
    }

    static func begins(_ path: QueryPath, with name: [ExactText]) -> Bool {
        guard path.steps.count >= name.count else { return false }
        return zip(path.steps, name).allSatisfy { step, part in
            if case .key(let key) = step { isSame(key, part) } else { false }
        }
    }

    static func isSame(_ left: [ExactText], _ right: [ExactText]) -> Bool {
        left.count == right.count && zip(left, right).allSatisfy { isSame($0, $1) }
    }

    /// Whether two names are the same; the case of ASCII letters is ignored.
    static func isSame(_ left: ExactText, _ right: ExactText) -> Bool {
        left.text.utf8.count == right.text.utf8.count
            && zip(left.text.utf8, right.text.utf8).allSatisfy { folded($0) == folded($1) }
    }

    /// A name with ASCII letters in lower case: equal for names that are the same.
    static func folded(_ name: ExactText) -> ExactText {
        ExactText(String(decoding: name.text.utf8.map { folded($0) }, as: UTF8.self))
    }

    private static func folded(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }

    static func text(_ name: [ExactText]) -> String { name.map(\.text).joined(separator: ".") }

    /// The names of a collection that are valid everywhere: its full name, `_` for `_default`.
    static func fullNames(of collection: QueryCollection) -> [[ExactText]] {
        var names = [[collection.scope, collection.name]]
        let isDefaultScope = collection.scope == QueryCollection.standard.scope
        if isDefaultScope { names.append(["_", collection.name]) }
        if collection == .standard { names += [["_"], [collection.name]] }
        return names
    }

    /// The names of an alias that looks like a path, as code reads it: `.from("a.b")`.
    static func spelledNames(of alias: ExactText) -> [[ExactText]] {
        let keys = QueryPath(source: alias.text).keys
        return keys == [alias] ? [] : [keys]
    }
}

extension QueryScope.Source {
    /// The number of steps of the longest of its other names that a path begins with.
    fileprivate func stepsOfOtherName(_ path: QueryPath) -> Int? {
        otherNames.filter { QueryScope.begins(path, with: $0) }.map(\.count).max()
    }

    /// The collection that it reads and is named after.
    fileprivate var unnamedCollection: QueryCollection? {
        if alias == nil, case .documents(let collection) = form { collection } else { nil }
    }
}
