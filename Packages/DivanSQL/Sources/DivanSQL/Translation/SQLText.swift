internal import DivanJSON
internal import DivanQuery

/// SQL text under construction, with the values bound to its parameters.
///
/// No text of a user ever becomes SQL: values are bound, and the paths and names that must be
/// in the text are spelled in an alphabet without quotes. Only the text of an index is written as in
/// the schema, with its literals quoted.
struct SQLText {
    private(set) var text = ""
    private(set) var bindings: [SQLBinding] = []
    private var numbers: [SQLBinding: Int] = [:]
    /// Whether the text goes into the schema, where nothing can be bound, or must equal a text there:
    /// literals are spelled.
    private(set) var isSchema: Bool
    /// Why the text is not allowed in the schema.
    private(set) var problem: String?
    /// See `SQLTranslation.nearestFilter`.
    var nearestFilter: String?
    /// Where deep expressions are divided.
    private var division: SQLExpressionSplitter?
    /// How many more conditions SQLite's planner may see.
    private var plannedConditionsLeft = SQLLimits.plannedConditionCount

    /// How many more calls may hold a body of their own.
    private var heldBodiesLeft = SQLLimits.heldBodyCount

    init(isSchema: Bool = false, isDivided: Bool = false) {
        self.isSchema = isSchema
        division = isDivided ? SQLExpressionSplitter() : nil
    }

    /// An empty text for a statement within this one, with bindings of its own.
    var inner: SQLText { SQLText(isDivided: division != nil) }

    /// Begins the call of a function, with the current version of its name.
    mutating func call(_ function: SQLFunction) {
        self += isSchema ? function.stored : function.current
        self += "("
    }

    /// The same for a function without a name in the language.
    mutating func call(_ name: SQLFunction.Name) { call(SQLFunction[name]) }

    /// Begins the call of a model: the stored form returns MISSING where the other one fails.
    mutating func callModel() {
        self += isSchema ? "divan_stored_prediction1(" : "divan_prediction1("
    }

    static func += (left: inout SQLText, right: String) {
        left.division?.count(right)
        left.text += right
    }

    /// Begins an expression; `isDivisible` is called for outermost ones.
    mutating func begin(isDivisible: () -> Bool) -> SQLExpressionSplitter.Start? {
        division?.begin(at: text.utf8.count, isDivisible: isDivisible)
    }

    /// Ends the expression that began last.
    mutating func end(_ start: SQLExpressionSplitter.Start?) {
        if let start { division?.end(start, in: &text) }
    }

    /// Writes something that is divided on its own.
    mutating func apart(_ write: (inout SQLText) throws -> Void) rethrows {
        let state = division?.suspend()
        try write(&self)
        if let state { division?.resume(state) }
    }

    /// Writes something that costs the parser a level without a parenthesis.
    mutating func nested(_ write: (inout SQLText) throws -> Void) rethrows {
        division?.open()
        try write(&self)
        division?.close()
    }

    /// Whether one more call may hold the body that it reads: a call with a literal keeps its arguments separate from
    /// those of the others, and with them a body of up to 8 MB.
    mutating func mayHoldBody() -> Bool {
        heldBodiesLeft -= 1
        return isSchema || heldBodiesLeft >= 0
    }

    /// Whether SQLite's planner may see this many more conditions; if so, they are counted.
    mutating func plan(conditionCount: Int) -> Bool {
        guard mayPlan(conditionCount: conditionCount) else { return false }
        plannedConditionsLeft -= conditionCount
        return true
    }

    /// The same, without counting them.
    func mayPlan(conditionCount: Int) -> Bool { conditionCount <= plannedConditionsLeft }

    /// Writes a parameter; a repeated one is bound once.
    mutating func bind(_ binding: SQLBinding) {
        guard !isSchema else { return spell(binding) }
        let number = numbers[binding] ?? bindings.count + 1
        if number > bindings.count {
            bindings.append(binding)
            numbers[binding] = number
        }
        text += "?\(number)"
    }

    /// The text as a statement.
    ///
    /// SQLite looks up each written number of a parameter among all others, which takes quadratic time
    /// for a long list of texts. If there are many, those that follow the highest one before them are
    /// written without a number: SQLite gives them the same.
    var statement: String {
        guard bindings.count > 100 else { return text }
        let (quote, name, mark) = (UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "?"))
        var (result, highest, quoting) = ([UInt8](), 0, UInt8(0))
        var rest = text.utf8[...]
        result.reserveCapacity(rest.count)
        while let byte = rest.popFirst() {
            result.append(byte)
            if quoting != 0 {
                if byte == quoting { quoting = 0 }
            } else if byte == quote || byte == name {
                quoting = byte
            } else if byte == mark {
                let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
                rest = rest.dropFirst(digits.count)
                let number = Int(Substring(digits)) ?? 0
                if number != highest + 1 { result += digits }
                highest = max(highest, number)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private mutating func spell(_ binding: SQLBinding) {
        switch binding {
        case .parameter(let name, isExact: _):
            problem = "an index cannot use parameters, such as $\(name.text)"
        case .text(let literal) where literal.text.utf8.contains(0):
            problem = "an index cannot contain a string with a NUL byte"
        case .text(let literal):
            text += Self.quoted(literal.text)
        case .double(let bits): text += "(\(Double(bitPattern: bits)))"
        case .container: problem = "an index cannot contain an array or object"
        case .liveCount: problem = "an index cannot contain a document count"
        }
    }

    /// A literal in quotes.
    ///
    /// By bytes: a combining mark after a quote forms one character with it, which is not equal to the quote alone.
    static func quoted(_ text: String) -> String {
        let quote = UInt8(ascii: "'")
        let bytes = text.utf8.flatMap { $0 == quote ? [quote, quote] : [$0] }
        return "'\(String(decoding: bytes, as: UTF8.self))'"
    }

    /// Writes text as it is spelled in the schema.
    mutating func spelled(_ write: (inout SQLText) throws -> Void) rethrows {
        let before = isSchema
        isSchema = true
        defer { isSchema = before }
        try write(&self)
    }

    /// Returns what `write` writes, without adding it to the text.
    mutating func captured(_ write: (inout SQLText) throws -> Void) rethrows -> String {
        let before = text
        text = ""
        try write(&self)
        defer { text = before }
        return text
    }

    /// Writes the items, separated by commas.
    mutating func list<Items: Collection>(
        _ items: Items,
        _ write: (inout SQLText, Items.Element) throws -> Void
    ) rethrows {
        var isFirst = true
        for item in items {
            if !isFirst { text += ", " }
            isFirst = false
            try write(&self, item)
        }
    }
}

extension QueryPath {
    /// The path as an SQL string that `divan_value1` reads, quotes included.
    var storedPath: String {
        var text = "'"
        for step in steps {
            switch step {
            case .item(let index): text += "[\(index)]"
            case .key(let key):
                text += "."
                for byte in key.text.utf8 { text += Self.spelling(of: byte) }
            }
        }
        return text + "'"
    }

    /// Letters, digits, `_` and `-` are written as they are; every other byte is two hexadecimal
    /// digits, so that neither a quote nor a part of a character is ever written.
    private static func spelling(of byte: UInt8) -> String {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            return String(UnicodeScalar(byte))
        default:
            let digits = String(byte, radix: 16)
            return byte < 16 ? "\\0\(digits)" : "\\\(digits)"
        }
    }
}

extension QueryCollation {
    /// The name of the collation in SQL; `nil` for byte order.
    var sqlName: String? {
        guard isUnicode else { return isCaseSensitive ? nil : "NOCASE" }
        var name = "divan_unicode"
        if !isCaseSensitive { name += "_ci" }
        if !isAccentSensitive { name += "_ai" }
        // An invalid locale name means the root order, as everywhere in ICU.
        if let locale, let tag = Self.tag(locale) { name += "_in_\(tag)" }
        return name
    }

    private static func tag(_ locale: ExactText) -> String? {
        let bytes = locale.text.utf8
        let isTag = bytes.allSatisfy { byte in
            byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
                || (byte < 0x80 && UnicodeScalar(byte).properties.isAlphabetic)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
        guard isTag, (1...32).contains(bytes.count) else { return nil }
        return locale.text.split(separator: "-").joined(separator: "_")
    }

    /// How `LIKE` and `CONTAINS` fold text (`divan_folding`).
    var folding: Int {
        guard isUnicode else { return isCaseSensitive ? 0 : 1 }
        return 2 | (isCaseSensitive ? 0 : 4) | (isAccentSensitive ? 0 : 8)
    }
}

/// How a value is written.
enum SQLForm {
    /// For comparison: booleans are numbers.
    case plain
    /// With its exact type.
    case exact
}
