/// One piece of SQL++ text and the bytes that it takes.
struct SQLToken {
    /// The sorts of pieces.
    enum Form: Equatable {
        /// A reserved word.
        case keyword(SQLKeyword)
        /// Any other word; its text stands in the source.
        case word
        /// A name in back-quotes, which no keyword is.
        case quotedName(String)
        /// Text in quotes.
        case string(String)
        /// Digits.
        case integer
        /// A number with a fraction or an exponent.
        case double
        /// A punctuation mark.
        case mark(SQLMark)
        /// The end of the text.
        case end
        /// What can stand nowhere; the parser tells it when it comes to it.
        case flaw(Flaw)
    }

    /// Why a piece of text is none.
    enum Flaw: Equatable {
        /// A string or a quoted name runs on to the end of the text.
        case unclosed(quote: String)
        /// Nothing stands between back-quotes.
        case emptyName
        /// A letter follows a number at once.
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
enum SQLMark: String {
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
