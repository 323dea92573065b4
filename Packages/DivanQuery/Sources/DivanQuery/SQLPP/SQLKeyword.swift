import DivanJSON

/// A word with a meaning in SQL++, in any letter case.
enum SQLKeyword: String, CaseIterable {
    // Reserved: never a name without back-quotes.
    case and = "AND"
    case any = "ANY"
    case `as` = "AS"
    case ascending = "ASC"
    case between = "BETWEEN"
    case by = "BY"
    case `case` = "CASE"
    case collate = "COLLATE"
    case cross = "CROSS"
    case descending = "DESC"
    case distinct = "DISTINCT"
    case `else` = "ELSE"
    case end = "END"
    case every = "EVERY"
    case `false` = "FALSE"
    case from = "FROM"
    case group = "GROUP"
    case having = "HAVING"
    case `in` = "IN"
    case inner = "INNER"
    case `is` = "IS"
    case join = "JOIN"
    case left = "LEFT"
    case like = "LIKE"
    case limit = "LIMIT"
    case missing = "MISSING"
    case natural = "NATURAL"
    case not = "NOT"
    case null = "NULL"
    case offset = "OFFSET"
    case on = "ON"
    case or = "OR"
    case order = "ORDER"
    case outer = "OUTER"
    case right = "RIGHT"
    case satisfies = "SATISFIES"
    case select = "SELECT"
    case then = "THEN"
    case `true` = "TRUE"
    case unnest = "UNNEST"
    case using = "USING"
    case valued = "VALUED"
    case when = "WHEN"
    case `where` = "WHERE"

    private static let longest = 9
    private static let words: [ExactText: SQLKeyword] = Dictionary(
        uniqueKeysWithValues: allCases.map { (ExactText($0.rawValue), $0) }
    )

    /// The keyword that a word is, if it is one.
    init?(word: Substring) {
        guard word.utf8.count <= Self.longest,
            let keyword = Self.words[ExactText(word.uppercased())]
        else { return nil }
        self = keyword
    }
}
