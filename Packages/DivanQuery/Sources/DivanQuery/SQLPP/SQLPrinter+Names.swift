import DivanJSON

extension SQLPrinter {
    /// A name, in back-quotes if it needs them.
    static func name(_ name: String) -> String {
        // ALL and SOME are names only in some places.
        if isWord(name), SQLKeyword(word: name[...]) == nil,
            !["ALL", "SOME"].contains(name.uppercased())
        {
            return name
        }
        return quoted(name)
    }

    /// A parameter's name, which may be a reserved word, in back-quotes if it needs them.
    static func parameter(_ name: String) -> String {
        isWord(name) ? name : quoted(name)
    }

    private static func quoted(_ name: String) -> String {
        "`\(name.doubling("`"))`"
    }

    private static func isWord(_ name: String) -> Bool {
        name.utf8.first.map { isLetter($0) } ?? false
            && name.utf8.allSatisfy {
                isLetter($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || $0 == UInt8(ascii: "$")
            }
    }

    static func string(_ text: String) -> String {
        "'\(text.doubling("'"))'"
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "_") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}

extension QueryPath {
    /// The path as SQL++ writes properties.
    var sql: String {
        let text = sqlBelow
        return text.begins(with: ".") ? text.dropping(1) : text
    }

    /// The path after a value.
    var sqlBelow: String {
        steps.map { step in
            switch step {
            case .key(let key): "." + SQLPrinter.name(key.text)
            case .item(let item): "[\(item)]"
            }
        }.joined()
    }
}

extension QueryLiteral {
    var sql: String {
        switch self {
        case .missing: "MISSING"
        case .null: "NULL"
        case .boolean(let value): value ? "TRUE" : "FALSE"
        case .integer(let value): "\(value)"
        case .double(let value): value.description
        case .string(let value): SQLPrinter.string(value)
        }
    }
}

extension QueryCollationChange {
    var sql: String {
        var words: [String] = []
        if let isUnicode {
            let language = isUnicode ? locale.map { ":" + SQLPrinter.name($0.text) } ?? "" : ""
            words.append((isUnicode ? "UNICODE" : "NOUNICODE") + language)
        }
        if let isCaseSensitive { words.append(isCaseSensitive ? "CASE" : "NOCASE") }
        if let isAccentSensitive { words.append(isAccentSensitive ? "DIAC" : "NODIAC") }
        return words.count == 1 ? words[0] : "(\(words.joined(separator: " ")))"
    }
}

extension QueryExpression {
    var rank: SQLPrinter.Rank { form.rank }

    /// Whether the text begins with `NOT`.
    var beginsWithNot: Bool {
        switch form {
        case .not: true
        case .concatenation(let parts): parts.first?.beginsWithNot ?? false
        case .arithmetic(let first, _), .comparison(_, let first, _): first.beginsWithNot
        default: false
        }
    }

    /// Whether a dot can directly follow the text: it is no number, and no path except that of a metadata key
    /// of `META()`, which is kept distinct from what is below it.
    var isSafeBeforeDot: Bool {
        switch form {
        case .literal(.integer), .literal(.double), .property, .variable, .everything,
            .metadata(_, key: nil), .negative, .positive, .not:
            false
        default: true
        }
    }

    /// Whether a sign can directly precede the text: it is no number.
    var isSafeBehindSign: Bool {
        switch form {
        case .literal(.integer), .literal(.double), .everything, .not: false
        default: true
        }
    }

    /// Whether it can follow `IN` without parentheses, which would make it a list.
    var isSafeBehindIn: Bool {
        switch form {
        case .property, .variable, .parameter, .call, .literal, .metadata, .object, .choice,
            .quantified, .aggregate:
            true
        default: false
        }
    }
}

extension QueryExpression.Form {
    var rank: SQLPrinter.Rank {
        switch self {
        case .collated: .collated
        case .or: .or
        case .and: .and
        case .isValued, .between, .isIn, .like, .hasValue: .test
        case .comparison(let comparison, _, _):
            switch comparison {
            case .equal, .notEqual, .same, .notSame: .equality
            default: .compare
            }
        case .arithmetic(_, let links): links.first?.arithmetic.isSum ?? true ? .sum : .product
        case .concatenation: .joined
        case .member: .dotted
        default: .primary
        }
    }
}

extension QueryStatement {
    /// The statement as SQL++ text.
    public var sql: String {
        var printer = SQLPrinter()
        printer.write(self)
        return printer.text
    }
}

extension QueryExpression {
    /// The expression as SQL++ text.
    public var sql: String {
        var printer = SQLPrinter()
        printer.write(self)
        return printer.text
    }
}

extension String {
    /// The text with each such mark doubled, as in quoted text.
    ///
    /// By scalars: a combining mark after it forms one character with it, which is not equal to the mark alone.
    func doubling(_ mark: Unicode.Scalar) -> String {
        var result = UnicodeScalarView()
        for scalar in unicodeScalars {
            result.append(scalar)
            if scalar == mark { result.append(scalar) }
        }
        return String(result)
    }
}
