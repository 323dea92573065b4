internal import DivanQuery

/// The terms of an `OR`, with those that compare one property with constants joined: `n = 1 OR n = $x OR n IN [3, 4]`
/// is `n IN [1, $x, 3, 4]`, also for MISSING and null.
///
/// SQLite does the same with a chain, but sees none longer than `SQLLimits.plannedConditionCount`.
struct SQLAlternatives {
    private(set) var terms: [CheckedExpression] = []

    private struct Subject: Hashable {
        let value: CheckedExpression
        let collation: QueryCollation
    }

    /// Joins the terms; each joined one takes the place of its first.
    init(_ chain: [CheckedExpression], in statement: CheckedStatement) {
        var subjects: [(place: Int, subject: Subject, list: [CheckedExpression])] = []
        var numbers: [Subject: Int] = [:]
        for term in chain {
            guard let (subject, list) = Self.choice(term, in: statement) else {
                terms.append(term)
                continue
            }
            if let number = numbers[subject] {
                subjects[number].list += list
            } else {
                numbers[subject] = subjects.count
                subjects.append((terms.count, subject, list))
                terms.append(term)
            }
        }
        for (place, subject, list) in subjects where list.count > 1 {
            terms[place] = .isOneOf(subject.value, list, subject.collation)
        }
    }

    /// The expression that a term compares with constants, and the constants.
    private static func choice(
        _ term: CheckedExpression,
        in statement: CheckedStatement
    ) -> (Subject, [CheckedExpression])? {
        let (value, list, collation): (CheckedExpression, [CheckedExpression], QueryCollation)
        switch term {
        case .comparison(.equal, let left, let right, let some):
            let (left, right) = (statement.named(left), statement.named(right))
            (value, list, collation) =
                right.isConstant ? (left, [right], some) : (right, [left], some)
        case .isOneOf(let some, let others, let other) where !others.isEmpty:
            (value, list, collation) = (statement.named(some), others, other)
        default: return nil
        }
        guard isSubject(value), list.allSatisfy(\.isConstant) else { return nil }
        return (Subject(value: value, collation: collation), list)
    }

    private static func isSubject(_ expression: CheckedExpression) -> Bool {
        switch expression {
        case .property, .metadata(_, .id): true
        default: false
        }
    }
}
