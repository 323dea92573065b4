import DivanJSON

/// Finds the arrays of documents in CouchDB's responses, in the stream of `pouchdb-dump` and in the files of
/// `couchbackup`, and passes their items on as arrays.
///
/// A response is one object whose member `rows`, `docs` or `results` is an array; several may follow each
/// other. A stream has lines without an array between them: about the database, and the progress. A file of
/// `couchbackup` has one array per line, in newer versions after a line about the program.
/// Anything else passes unchanged: an array, or lines whose first is a document and not a response.
struct ArrayFinder {
    private enum State {
        /// Only white space so far.
        case beginning
        /// In an object, before its array.
        case searching
        case inArray
        case behindArray
        /// After an object.
        case between
        case passing
    }

    private static let keys = ["rows", "docs", "results"]

    private let name: String
    private var state = State.beginning
    private var isFirst = true  // no object has ended yet
    private var hasArray = false  // the beginning of the one array was passed on
    private var hasItems = false  // of the one array
    private var owesComma = false  // before the next item, if one comes
    private var line = 1
    private var held: [UInt8] = []  // what came before it was known what it is
    private var nesting = JSONNesting()
    private var text: [UInt8] = []  // the string that ended last
    private var failure: ExchangeError?  // thrown after everything before it was passed on

    /// - Parameter name: What the places of errors begin with.
    init(name: String) {
        self.name = name
    }

    /// Takes the next bytes of a file; returns what is to be read as documents.
    mutating func receive(_ bytes: [UInt8]) throws(ExchangeError) -> [UInt8] {
        if let failure { throw failure }
        if state == .passing { return bytes }
        var passed: [UInt8] = []
        do throws(ExchangeError) {
            for byte in bytes {
                try step(byte, &passed)
                if byte == UInt8(ascii: "\n") { line += 1 }
            }
        } catch {
            failure = error
            return passed
        }
        return passed
    }

    /// What is left when the file ends: an object that was not a response, but a document.
    mutating func finish() throws(ExchangeError) -> [UInt8] {
        if let failure { throw failure }
        if state == .inArray || state == .searching && !isFirst {
            let what = state == .inArray ? "array" : "object"
            throw ExchangeError(
                .invalid,
                at: name,
                "the \(what) is not closed",
                remedy: "check that the file is complete"
            )
        }
        defer { held = [] }
        return hasArray ? [UInt8(ascii: "]")] : held
    }

    private mutating func step(_ byte: UInt8, _ passed: inout [UInt8]) throws(ExchangeError) {
        switch state {
        case .passing: passed.append(byte)
        case .beginning, .between: try begin(byte, &passed)
        case .searching:
            // The only document of a file is held, too.
            guard held.count < ExchangeLimits.documentByteCount else {
                throw ExchangeError(
                    .invalid,
                    at: name,
                    "not a CouchDB response (no rows, docs or results at its start)"
                )
            }
            held.append(byte)
            try search(byte, &passed)
        case .inArray:
            follow(byte)
            if nesting.depth == 1 { state = .behindArray } else { pass(byte, &passed) }
        case .behindArray:
            keepLine(byte, &passed)
            follow(byte)
            if nesting.depth == 0 { end() }
        }
    }

    /// Passes on the items of an array; arrays are joined into one, even if some are empty.
    private mutating func pass(_ byte: UInt8, _ passed: inout [UInt8]) {
        if !" \t\r\n".utf8.contains(byte) {
            if owesComma { passed.append(UInt8(ascii: ",")) }
            owesComma = false
            hasItems = true
        }
        passed.append(byte)
    }

    /// Outside of any object.
    private mutating func begin(_ byte: UInt8, _ passed: inout [UInt8]) throws(ExchangeError) {
        switch byte {
        case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"):
            keepLine(byte, &passed)
        case 0xEF, 0xBB, 0xBF: break  // a byte order mark
        case UInt8(ascii: "{"):
            held.append(byte)
            state = .searching
            nesting.take(byte)
        default:
            let isArrayBelowHeader = byte == UInt8(ascii: "[") && !hasArray
            guard isFirst || isArrayBelowHeader else { throw stranger }
            held.append(byte)
            passAll(&passed)
        }
    }

    private mutating func search(_ byte: UInt8, _ passed: inout [UInt8]) throws(ExchangeError) {
        let wasInString = nesting.isInString
        follow(byte)
        if !wasInString, byte == UInt8(ascii: "["), nesting.depth == 2,
            Self.keys.contains(lastString)
        {
            state = .inArray
            for byte in held { keepLine(byte, &passed) }
            held = []
            if !hasArray { passed.append(UInt8(ascii: "[")) }
            hasArray = true
            owesComma = hasItems
        } else if nesting.depth == 0 {
            try endWithoutArray(&passed)
        } else if isFirst, wasInString, !nesting.isInString, isRowKey(lastString) {
            // A document or a row: the first of many lines.
            passAll(&passed)
        }
    }

    private var lastString: String { String(decoding: text, as: UTF8.self) }

    /// Whether no response has this key, and every document or row does; a header about the database has
    /// keys of all kinds.
    private func isRowKey(_ key: String) -> Bool {
        key == "_id" || nesting.depth == 1 && ["id", "seq"].contains(key)
    }

    /// An object without documents: about a stream, or the only document.
    private mutating func endWithoutArray(_ passed: inout [UInt8]) throws(ExchangeError) {
        let object = try? JSON(parsing: held).object
        let isAboutStream =
            object?["db_info"]?.object != nil
            || isFirst && object?["name"]?.string == "@cloudant/couchbackup"
            || !isFirst && object?.count == 1 && (object?["seq"] ?? object?["last_seq"]) != nil
        guard isAboutStream else {
            guard isFirst else { throw stranger }
            return passAll(&passed)
        }
        for byte in held { keepLine(byte, &passed) }
        held = []
        end()
    }

    private mutating func end() {
        isFirst = false
        state = .between
        text = []
    }

    private var stranger: ExchangeError {
        ExchangeError(
            .invalid,
            at: "\(name):\(line)",
            "neither a CouchDB response nor a line of pouchdb-dump",
            remedy: "check that the file is complete; if it consists of several files, import each "
                + "separately"
        )
    }

    private mutating func passAll(_ passed: inout [UInt8]) {
        state = .passing
        passed += held
        held = []
    }

    /// Passes on line ends, so that the places of errors stay correct.
    private func keepLine(_ byte: UInt8, _ passed: inout [UInt8]) {
        if byte == UInt8(ascii: "\n") { passed.append(byte) }
    }

    /// Keeps track of brackets and strings, and of the start of the last string.
    private mutating func follow(_ byte: UInt8) {
        let wasInString = nesting.isInString
        nesting.take(byte)
        guard nesting.isInString else { return }
        if !wasInString {
            text = []
        } else if state == .searching, text.count < 16 {
            text.append(byte)
        }
    }
}
