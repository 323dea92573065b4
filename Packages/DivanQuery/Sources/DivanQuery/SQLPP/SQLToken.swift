/// One piece of SQL++ text and the bytes that it occupies.
struct SQLToken {
    /// The kinds of pieces.
    enum Form: Equatable {
        /// A reserved word.
        case keyword(SQLKeyword)
        /// Any other word; its text is in the source.
        case word
        /// A name in back-quotes, which is never a keyword.
        case quotedName(String)
        /// Text in quotes.
        case string(String)
        /// Digits.
        case integer
        /// A number with a fraction or an exponent.
        case double
        /// A punctuation mark.
        case mark(SQLPunctuation)
        /// The end of the text.
        case end
        /// Text that is not allowed anywhere; the parser reports it when it gets there.
        case flaw(Problem)
    }

    /// Why a piece of text is not a token.
    enum Problem: Equatable {
        /// A string or a quoted name runs on to the end of the text.
        case unclosed(quote: String)
        /// Nothing is between back-quotes.
        case emptyName
        /// A letter directly follows a number.
        case numberRunsOn
        /// A character that the language does not have.
        case strangeByte
        /// Two dashes and a blank, or a slash and a star, as other languages begin a comment.
        case comment
    }

    var form: Form
    /// The bytes of it.
    var range: Range<Int>
}

/// Punctuation of SQL++.
enum SQLPunctuation: String {
    case openParenthesis = "("
    case closeParenthesis = ")"
    case openBracket = "["
    case closeBracket = "]"
    case openBrace = "{"
    case closeBrace = "}"
    case comma = ","
    case semicolon = ";"
    case colon = ":"
    case dot = "."
    case dollar = "$"
    case plus = "+"
    case minus = "-"
    case times = "*"
    case divided = "/"
    case modulo = "%"
    case joined = "||"
    case bitwiseOr = "|"
    case bitwiseAnd = "&"
    case shiftLeft = "<<"
    case shiftRight = ">>"
    case equal = "="
    case equalTwice = "=="
    case notEqual = "!="
    case unequal = "<>"
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
}
