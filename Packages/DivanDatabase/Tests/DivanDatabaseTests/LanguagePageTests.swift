import DivanDatabase
import DivanFullText
import DivanJSON
import DivanQuery
import DivanRevisions
import FoundationEssentials
import Testing

/// The examples of `Docs/query/language.md`, run on every engine.
@Suite struct LanguagePageTests {
    /// Reserved words without a meaning so far.
    private static let unused: Set<String> = ["NATURAL", "RIGHT", "USING"]

    private let page: LanguagePage

    init() throws {
        page = try LanguagePage()
    }

    @Test(arguments: EngineKind.allCases)
    func `every example on the page returns the documented rows`(kind: EngineKind) throws {
        let store = try LanguageStore(page, kind)
        #expect(page.examples.count > 120)
        for example in page.examples {
            #expect(try store.rows(of: example) == example.rows, "\(example.sql)")
        }
    }

    @Test func `every function and every keyword has an example`() {
        let words = Set(page.examples.flatMap { LanguagePage.words(of: $0.sql) })
        for word in QueryWords.all where !Self.unused.contains(word) {
            #expect(words.contains(word), "no example shows \(word)")
        }
    }

    @Test func `the page documents exactly the functions that exist`() {
        let known = Set(
            QueryFunction.allCases.map(\.rawValue) + QueryAggregate.allCases.map(\.rawValue)
                + ["MATCH", "META", "RANK"]
        )
        #expect(known == page.functions.union(["MATCH", "RANK"]))
    }

    @Test(arguments: EngineKind.allCases)
    func `every difference from Couchbase Lite behaves as documented`(kind: EngineKind) throws {
        let store = try LanguageStore(page, kind)
        var head = ""
        var count = 0
        for line in try LanguagePage.lines(of: "differences.md") where line.hasPrefix("| ") {
            let cells = LanguagePage.cells(line)
            guard cells.count == 4, cells[0].hasPrefix("`") else {
                head = cells[0]
                continue
            }
            let (text, here) = (LanguagePage.code(cells[0]), LanguagePage.code(cells[2]))
            count += 1
            if head == "expression" {
                let example = LanguagePage.example(text, of: "oslo", gives: here)
                #expect(try store.rows(of: example) == example.rows, "\(text)")
            } else {
                #expect(here == "an error")
                let example = LanguagePage.Example(sql: text)
                #expect(throws: (any Error).self) { try store.rows(of: example) }
            }
        }
        #expect(count > 15)
    }

    @Test func `the page lists exactly the words that need backquotes`() throws {
        let isReserved = { (word: String) in
            (try? QueryStatement(sql: "SELECT a AS \(word) FROM _")) == nil
        }
        #expect(page.reservedWords.count > 40)
        for word in page.reservedWords { #expect(isReserved(word), "\(word) is a name") }
        for word in QueryWords.all where isReserved(word) {
            #expect(page.reservedWords.contains(word), "\(word) is not on the page")
        }
    }
}

/// What `Docs/query/language.md` shows.
private struct LanguagePage {
    /// A query and its rows in JSON; for a table, the single value.
    struct Example {
        var sql: String
        var parameters: [ExactText: QueryValue] = [:]
        var rows: [String] = []
    }

    /// The documents of each collection, as JSON, one per line.
    private(set) var documents: [(collection: String, lines: [String])] = []
    private(set) var examples: [Example] = []
    /// Names in the first column of the tables of functions and aggregates.
    private(set) var functions: Set<String> = []
    private(set) var reservedWords: Set<String> = []

    init() throws {
        var head: [String] = []
        var block: (label: String, lines: [String])?
        for line in try Self.lines(of: "language.md") {
            if line.hasPrefix("```") {
                if let open = block { try take(open.label, open.lines) }
                if block != nil { block = nil } else { block = (String(line.dropFirst(3)), []) }
            } else if block != nil {
                block?.lines.append(String(line))
            } else if line.hasPrefix("| ") {
                let cells = Self.cells(line)
                if cells.count == 4, cells[2].hasPrefix("example (") { head = cells }
                if head != cells { take(cells, below: head) }
            } else if line.hasPrefix("Names that are one of these") {
                reservedWords = Set(Self.words(of: String(line)).filter { $0 == $0.uppercased() })
            }
        }
    }

    /// The lines of a page of `Docs/query`.
    static func lines(of page: String) throws -> [Substring] {
        let here = "\(#filePath)".split(separator: "/", omittingEmptySubsequences: false)
        let root = here.dropLast(5).joined(separator: "/")
        let data = try Data(contentsOf: URL(filePath: "\(root)/Docs/query/\(page)"))
        return String(decoding: data, as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false)
    }

    /// An expression on one chair or on all, and its value.
    static func example(_ expression: String, of id: String?, gives value: String) -> Example {
        let condition = id.map { " WHERE META().id = '\($0)'" } ?? ""
        return Example(
            sql: "SELECT \(expression) AS x FROM shop.chairs\(condition)",
            rows: [value == "MISSING" ? "{}" : "{\"x\":\(value)}"]
        )
    }

    /// The words of a text in capitals, except those in quotes.
    static func words(of text: String) -> Set<String> {
        let bare = text.split(separator: "'", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 0 }.map { String($0.element) }.joined(separator: " ")
        let words = bare.split { !($0.isLetter || $0.isNumber || $0 == "_") }
        return Set(words.map(String.init).filter { $0 == $0.uppercased() })
    }

    private mutating func take(_ label: String, _ lines: [String]) throws {
        let words = label.split(separator: " ").map(String.init)
        switch words.first {
        case "json" where words.count == 2: documents.append((words[1], lines))
        case "json":
            try #require(!examples.isEmpty)
            examples[examples.count - 1].rows = lines
        case "sql":
            var example = Example(sql: lines.joined(separator: "\n"))
            for word in words.dropFirst() {
                let parts = word.split(separator: "=").map(String.init)
                example.parameters[ExactText(parts[0])] = .parameter(try JSON(parsing: parts[1]))
            }
            examples.append(example)
        default: break
        }
    }

    /// A row of a table below its headings.
    private mutating func take(_ cells: [String], below head: [String]) {
        guard cells.count == 4, head.count == 4 else { return }
        let id = head[2].contains("`oslo`") ? "oslo" : nil
        examples.append(
            Self.example(Self.code(cells[2]), of: id, gives: Self.code(cells[3]))
        )
        guard ["function", "aggregate"].contains(head[0]) else { return }
        functions.insert(String(Self.code(cells[0]).prefix { $0 != "(" }))
    }

    /// The cells of a row; a bar preceded by a backslash is text.
    static func cells(_ line: Substring) -> [String] {
        line.replacing("\\|", with: "\u{1}").split(separator: "|").map { cell in
            // There is one space on either side.
            String(cell.dropFirst().dropLast()).replacing("\u{1}", with: "|")
        }
    }

    static func code(_ cell: String) -> String {
        cell.hasPrefix("`") ? String(cell.dropFirst().dropLast()) : cell
    }
}

/// A store with the documents of the page.
private struct LanguageStore {
    private let room: StoreFixture

    init(_ page: LanguagePage, _ kind: EngineKind) throws {
        room = try StoreFixture(kind)
        for (name, lines) in page.documents {
            let path = try #require(CollectionPath(name))
            try room.store.createCollection(path)
            for line in lines { try save(JSON(parsing: line), in: path) }
        }
        let chairs = try #require(CollectionPath("shop.chairs"))
        let collection = QueryCollection(scope: "shop", name: "chairs")
        let story = try QueryExpression(sql: "story").checked(over: collection)
        let words = QueryIndexDefinition.fullText(
            [.init(name: "story", story)],
            tokenizer: FullText.tokenizer(language: "en", ignoresAccents: false),
            filter: nil
        )
        try room.store.write { try $0.createIndex("words", words, in: chairs) }
    }

    private func save(_ json: JSON, in path: CollectionPath) throws {
        var body = try #require(json.object)
        let id = try DocumentID(checking: try #require(body["_id"]?.string))
        body["_id"] = nil
        let bytes = try JSON.object(body).canonicalBytes()
        try room.store.write { _ = try $0.save(id, in: path, body: bytes) }
    }

    /// The rows as `divan query --format jsonl` prints them.
    func rows(of example: LanguagePage.Example) throws -> [String] {
        let checked = try QueryStatement(sql: example.sql)
            .checked(against: StoreCatalogue(room.store, named: "shop"), text: example.sql)
        let rows = try room.store.rows(
            of: StorageQuery(checked, parameters: example.parameters)
        )
        var lines: [String] = []
        while let row = try rows.next() {
            let members = try zip(rows.titles, row).compactMap { title, value -> String? in
                guard let json = value.writableJSON else { return nil }
                let text = String(decoding: try json.canonicalBytes(), as: UTF8.self)
                return "\"\(title)\":\(text)"
            }
            lines.append("{" + members.joined(separator: ",") + "}")
        }
        return lines
    }
}
