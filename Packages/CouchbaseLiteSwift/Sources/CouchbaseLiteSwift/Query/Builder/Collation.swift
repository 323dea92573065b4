import DivanJSON
import DivanQuery

/// A collation: how strings are compared and sorted.
public protocol CollationProtocol: Sendable {}

/// Creates collations.
public final class Collation: Sendable {
    private init() {}

    /// Compares strings by their bytes.
    public static func ascii() -> ASCII { ASCII(QueryCollationChange(isUnicode: false)) }

    /// The Unicode collation algorithm, with the root collation unless `locale(_:)` sets a language.
    ///
    /// The system's language is not used, because two processes with the same database could sort differently.
    public static func unicode() -> Unicode { Unicode(QueryCollationChange(isUnicode: true)) }

    /// A collation by bytes.
    public final class ASCII: CollationProtocol {
        fileprivate let change: QueryCollationChange

        fileprivate init(_ change: QueryCollationChange) {
            self.change = QueryCollationChange(
                isUnicode: false,
                isCaseSensitive: change.isCaseSensitive ?? true,
                isAccentSensitive: true
            )
        }

        /// Whether to ignore case, for ASCII letters only.
        public func ignoreCase(_ ignoreCase: Bool) -> ASCII {
            ASCII(QueryCollationChange(isCaseSensitive: !ignoreCase))
        }
    }

    /// A collation by the Unicode algorithm.
    public final class Unicode: CollationProtocol {
        fileprivate let change: QueryCollationChange

        fileprivate init(_ change: QueryCollationChange) {
            self.change = QueryCollationChange(
                isUnicode: true,
                isCaseSensitive: change.isCaseSensitive ?? true,
                isAccentSensitive: change.isAccentSensitive ?? true,
                locale: change.locale
            )
        }

        /// Whether to ignore case, so that `a` and `A` are equal.
        public func ignoreCase(_ ignoreCase: Bool) -> Unicode {
            changed { $0.isCaseSensitive = !ignoreCase }
        }

        /// Whether to ignore accents, so that `a` and `á` are equal.
        public func ignoreAccents(_ ignoreAccents: Bool) -> Unicode {
            changed { $0.isAccentSensitive = !ignoreAccents }
        }

        /// The language for the sort order, such as `sv`; `nil` means the root collation.
        public func locale(_ locale: String?) -> Unicode {
            changed { $0.locale = locale.map { ExactText($0) } }
        }

        private func changed(_ edit: (inout QueryCollationChange) -> Void) -> Unicode {
            var change = change
            edit(&change)
            return Unicode(change)
        }
    }
}

extension QueryCollationChange {
    /// The change that a collation makes.
    init(_ collation: any CollationProtocol) {
        switch collation {
        case let ascii as Collation.ASCII: self = ascii.change
        case let unicode as Collation.Unicode: self = unicode.change
        default:
            stopForMisuse("\(type(of: collation)) is not a supported collation; use Collation")
        }
    }
}
