import DivanCommandLine
import DivanJSON
import DivanQuery

/// The properties of the first documents of a collection, by which a name that none of them has is recognized.
struct PropertyNames {
    /// Documents that are read.
    static let documentCount = 200
    /// Bytes of documents after which no further one is read, and of one that is passed over: a tree of small values
    /// needs thirty times the memory of their text.
    private static let byteCount = 1 << 20
    /// Names that are compared or shown.
    private static let (comparedCount, shownCount) = (2_000, 8)

    private let bodies: [JSON]
    /// Whether these are all documents of the collection.
    let isComplete: Bool

    /// Reads the bodies of documents until `next` has no more, or there are enough.
    init(reading next: () throws -> [UInt8]?) rethrows {
        var (bodies, byteCount, isComplete) = ([JSON](), 0, true)
        while let text = try next() {
            guard bodies.count < Self.documentCount, byteCount < Self.byteCount else {
                isComplete = false
                break
            }
            guard text.count <= Self.byteCount, let body = try? JSON(parsing: text) else {
                isComplete = false
                continue
            }
            byteCount += text.count
            bodies.append(body)
        }
        (self.bodies, self.isComplete) = (bodies, isComplete)
    }

    var isEmpty: Bool { bodies.isEmpty }

    /// A path of which no document has more than the beginning.
    struct Unknown {
        /// The part of it that no document has.
        let path: QueryPath
        /// The whole path with the name that was probably meant; `nil` if none is near.
        let meant: QueryPath?
        /// The names in place of the unknown one.
        let names: [String]
    }

    /// What is unknown about a path; `nil` if a document has it, or nothing can be said.
    func unknown(in path: QueryPath) -> Unknown? {
        var values = bodies
        for (position, step) in path.steps.enumerated() {
            guard case .key(let key) = step else {
                values = values.flatMap { $0.array ?? [] }
                continue
            }
            let objects = values.compactMap(\.object)
            guard !objects.isEmpty else { return nil }
            values = objects.compactMap { $0[key.text] }
            guard values.isEmpty else { continue }
            let names = Set(objects.flatMap(\.keys)).sorted().prefix(Self.comparedCount)
            var meant: QueryPath?
            if let nearest = Self.nearest(to: key.text, among: Array(names)) {
                meant = path
                meant?.steps[position] = .key(ExactText(nearest))
            }
            let beginning = QueryPath(Array(path.steps[...position]))
            return Unknown(path: beginning, meant: meant, names: Array(names))
        }
        return nil
    }

    /// Whether a document has a path.
    func have(_ path: QueryPath) -> Bool { !isEmpty && unknown(in: path) == nil }

    /// The property with the most text; `nil` if none has any.
    var wordiest: QueryPath? {
        var counts: [String: Int] = [:]
        for body in bodies {
            for (key, value) in body.object ?? [:] {
                counts[key, default: 0] += value.string?.utf8.count ?? 0
            }
        }
        let most = counts.max { ($0.value, $1.key) < ($1.value, $0.key) }
        return most.flatMap { $0.value > 0 ? QueryPath([.key(ExactText($0.key))]) : nil }
    }

    private static func nearest(to name: String, among names: [String]) -> String? {
        // Long names are seldom typed, and comparing two takes the product of their lengths.
        let short = names.filter { $0.utf8.count <= 64 }
        guard name.utf8.count <= 64 else { return nil }
        return short.first { $0.lowercased() == name.lowercased() }
            ?? Spelling.nearest(to: name, among: short)
    }

    /// A sentence about an unknown path, and what to write instead; `nil` if it may be in a document that was not
    /// read, and no other name is near.
    func sentence(about unknown: Unknown, in collection: String) -> String? {
        guard isComplete || unknown.meant != nil else { return nil }
        let reach = isComplete ? "no document" : "none of the first \(Self.documentCount) documents"
        let start = "\(reach) of \(collection) has the property \(Self.spelled(unknown.path))"
        if let meant = unknown.meant { return "\(start); did you mean \(Self.spelled(meant))?" }
        let names = unknown.names.prefix(Self.shownCount)
            .map { Self.spelled(QueryPath([.key(ExactText($0))])) }.joined(separator: ", ")
        let more = unknown.names.count > Self.shownCount ? ", …" : ""
        return names.isEmpty ? start : "\(start); its properties are \(names)\(more)"
    }

    private static func spelled(_ path: QueryPath) -> String {
        QueryExpression(.property(path)).sql.escapingControlCharacters()
    }
}

extension QueryExpression {
    /// The properties in an expression over one collection.
    func properties(of collection: QueryCollection) -> [QueryPath] {
        guard let checked = try? checked(over: collection) else { return [] }
        return checked.properties.map(\.path)
    }
}

extension CheckedExpression {
    /// The properties in an expression, each with its source.
    var properties: [(source: Int, path: QueryPath)] {
        var (rest, found) = ([self], [(source: Int, path: QueryPath)]())
        while let expression = rest.popLast() {
            if case .property(let source, let path) = expression, !path.isEmpty {
                found.append((source, path))
            }
            rest += expression.children.reversed()
        }
        return found
    }
}

extension CheckedExpression {
    /// The parts that may have a value without any of their properties: aggregates, and alternatives of a condition.
    fileprivate var tolerantParts: [CheckedExpression] {
        var (rest, found) = ([self], [CheckedExpression]())
        while let expression = rest.popLast() {
            switch expression {
            case .aggregate, .or, .isMissing: found.append(expression)
            default: rest += expression.children.reversed()
            }
        }
        return found
    }
}

extension CheckedStatement {
    /// The properties that a statement with complete rows may lack: by which it groups or orders, in aggregates, and in
    /// alternatives of its conditions; each with its source.
    var tolerantProperties: [(source: Int, path: QueryPath)] {
        let conditions = [filter, groupFilter].compactMap(\.self)
        let ordered = groups.map(\.expression) + orderings.map(\.key.expression)
        let parts = (columns.map(\.expression) + conditions).flatMap(\.tolerantParts)
        return (parts + ordered).flatMap(\.properties)
    }

    /// The properties in a statement, without those in sub-queries, each with its source.
    var properties: [(source: Int, path: QueryPath)] {
        var expressions = columns.map(\.expression)
        expressions += [filter, groupFilter].compactMap(\.self) + groups.map(\.expression)
        expressions += orderings.map(\.key.expression) + sources.compactMap(\.condition)
        for source in sources {
            if case .items(let parent, let path) = source.form {
                expressions.append(.property(source: parent, path))
            }
        }
        return expressions.flatMap(\.properties)
    }
}
