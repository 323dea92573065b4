/// How tightly operators bind, the loosest first.
enum SQLPrecedence: Int, Comparable {
    case or, and, test, equality, compare, bits, sum, product, joined

    static func < (left: SQLPrecedence, right: SQLPrecedence) -> Bool {
        left.rawValue < right.rawValue
    }
}

extension SQLToken.Form {
    /// The rank of this token between two operands; `nil` if it is no operator.
    var rank: SQLPrecedence? {
        switch self {
        case .keyword(.or): .or
        case .keyword(.and): .and
        case .keyword(.not), .keyword(.in), .keyword(.like), .keyword(.between): .test
        case .keyword(.is), .mark(.equal), .mark(.equalTwice), .mark(.notEqual), .mark(.unequal):
            .equality
        case .mark(.less), .mark(.lessOrEqual), .mark(.greater), .mark(.greaterOrEqual): .compare
        case .mark(.bitwiseOr), .mark(.bitwiseAnd), .mark(.shiftLeft), .mark(.shiftRight): .bits
        case .mark(.plus), .mark(.minus): .sum
        case .mark(.times), .mark(.divided), .mark(.modulo): .product
        case .mark(.joined): .joined
        default: nil
        }
    }

    /// The comparison that it means, if any.
    var comparison: QueryComparison? {
        switch self {
        case .keyword(.is): .same
        case .mark(.equal), .mark(.equalTwice): .equal
        case .mark(.notEqual), .mark(.unequal): .notEqual
        case .mark(.less): .less
        case .mark(.lessOrEqual): .lessOrEqual
        case .mark(.greater): .greater
        case .mark(.greaterOrEqual): .greaterOrEqual
        default: nil
        }
    }

    /// The calculation that it means, if any.
    var arithmetic: QueryArithmetic? {
        switch self {
        case .mark(.plus): .plus
        case .mark(.minus): .minus
        case .mark(.times): .times
        case .mark(.divided): .divided
        case .mark(.modulo): .modulo
        default: nil
        }
    }
}
