import DivanJSON

/// Gives each column without an alias a unique title.
///
/// Source: `sqlpp.md` §2, column names.
struct ColumnTitles {
    private var taken: Set<ExactText>
    private var unnamedCount = 0
    /// The number last given to each name.
    private var numbers: [ExactText: Int] = [:]

    init(explicit: [ExactText]) {
        taken = Set(explicit)
    }

    mutating func title(
        of form: QueryExpression.Form,
        _ expression: CheckedExpression,
        _ scope: QueryScope
    ) -> ExactText {
        guard let name = Self.name(of: form, expression, scope) else {
            unnamedCount += 1
            return unused(ExactText("$\(unnamedCount)"))
        }
        return unused(name)
    }

    private static func name(
        of form: QueryExpression.Form,
        _ expression: CheckedExpression,
        _ scope: QueryScope
    ) -> ExactText? {
        switch (form, expression) {
        case (.property, .property(let source, let path)),
            (.everything, .property(let source, let path)):
            guard let last = path.steps.last else { return scope.sources[source].title }
            if case .key(let key) = last { return key }
            return nil
        case (.metadata, .metadata(_, let key)), (.property, .metadata(_, let key)):
            return ExactText(key.rawValue)
        case (.metadata, .allMetadata(let source)): return scope.sources[source].title
        default: return nil
        }
    }

    private mutating func unused(_ name: ExactText) -> ExactText {
        var title = name
        var number = numbers[name] ?? 1
        while !taken.insert(title).inserted {
            number += 1
            title = ExactText("\(name) #\(number)")
        }
        numbers[name] = number
        return title
    }
}
