import DivanPlatform
import Foundation
import Testing

@testable import CouchbaseLiteSwift

/// Values that a program passes as `Any`, on every path.
@Suite(.timeLimit(.minutes(5))) struct CallerValueTests {
    let home: TemporaryDatabase

    init() throws {
        home = try TemporaryDatabase()
    }

    /// The types of containers that a caller may nest.
    enum Container: String, CaseIterable, Codable, Sendable {
        case dictionary, array, optionals, hashableKeys, foundationDictionary, foundationArray
        case mutableDictionary, mutableArray, mixed

        func around(_ value: Any, level: Int) -> Any {
            switch self {
            case .dictionary: ["a": value] as [String: Any]
            case .array: [value] as [Any]
            case .optionals: ["a": value] as [String: Any?]
            case .hashableKeys: ["a": value] as [AnyHashable: Any]
            case .foundationDictionary: NSDictionary(object: value, forKey: NSString("a"))
            case .foundationArray: NSArray(object: value)
            case .mutableDictionary: NSMutableDictionary(object: value, forKey: NSString("a"))
            case .mutableArray: NSMutableArray(object: value)
            case .mixed: Self.mixture[level % Self.mixture.count].around(value, level: level)
            }
        }

        private static let mixture = allCases.filter { $0 != .mixed }
    }

    /// Containers inside each other, the outermost counted, around a number.
    static func nested(_ depth: Int, asArrays: Bool = false) -> Any {
        nested(depth, in: asArrays ? .array : .dictionary)
    }

    static func nested(_ depth: Int, in container: Container) -> Any {
        (0..<depth).reduce(1 as Any) { container.around($0, level: $1) }
    }

    /// Every call that takes `Any` and puts it into a document, one container deep.
    static let setters: [(name: String, set: @Sendable (MutableDocument, Any) -> Void)] = [
        ("setValue", { $0.setValue($1, forKey: "v") }),
        ("setData", { $0.setData(["v": $1]) }),
        ("a fragment", { $0["v"].value = $1 }),
    ]

    /// The calls of an array, two containers deep.
    static let arraySetters: [(name: String, set: @Sendable (MutableArrayObject, Any) -> Void)] = [
        ("addValue", { $0.addValue($1) }),
        ("insertValue", { $0.insertValue($1, at: 0) }),
        ("setValue", { $0.addValue(nil).setValue($1, at: 0) }),
        ("setData", { $0.setData([$1]) }),
    ]

    @Test(arguments: Container.allCases)
    func `128 levels of nesting are stored, and saving 129 levels fails`(
        container: Container
    ) throws {
        for (name, set) in Self.setters {
            let document = MutableDocument(id: "d")
            set(document, Self.nested(127, in: container))
            try home.collection.save(document: document)
            set(document, Self.nested(128, in: container))
            expect(CBLError.invalidParameter, "\(name)") {
                try home.collection.save(document: document)
            }
            set(document, 1)
            try home.collection.save(document: document)
        }
        for (name, set) in Self.arraySetters {
            for (depth, isStored) in [(126, true), (127, false)] {
                let array = MutableArrayObject()
                set(array, Self.nested(depth, in: container))
                let document = MutableDocument(id: "a").setArray(array, forKey: "v")
                guard !isStored else {
                    try home.collection.save(document: document)
                    continue
                }
                expect(CBLError.invalidParameter, "\(name)") {
                    try home.collection.save(document: document)
                }
            }
        }
    }

    @Test func `values nested too deeply read as null, and the other values stay readable`() throws
    {
        let document = MutableDocument(data: ["deep": Self.nested(400), "n": 1])
        #expect(document.int(forKey: "n") == 1)
        var inner: DictionaryObject? = document.dictionary(forKey: "deep")
        var depth = 1
        while let next = inner?.dictionary(forKey: "a") { (inner, depth) = (next, depth + 1) }
        #expect(depth == 127)
        #expect(inner?.value(forKey: "a") is NSNull)
        #expect(document.toDictionary().count == 2)
    }

    /// In a process of its own: releasing such a value needs more stack than there is.
    @Test(arguments: Container.allCases)
    func `a nesting depth of 100,000 is refused in constant memory`(
        container: Container
    ) async throws {
        await #expect(processExitsWith: .success) { [container] in
            let home = try TemporaryDatabase()
            let query = try home.database.createQuery("SELECT $p FROM _")
            let deep = CallerValueTests.nested(100_000, in: container)
            let before = try peakByteCount()
            for (_, set) in CallerValueTests.setters {
                let document = MutableDocument(id: "d")
                set(document, deep)
                expect(CBLError.invalidParameter) { try home.collection.save(document: document) }
            }
            for (_, set) in CallerValueTests.arraySetters {
                let array = MutableArrayObject()
                set(array, deep)
                expect(CBLError.invalidParameter) {
                    try home.collection.save(
                        document: MutableDocument(id: "d").setArray(array, forKey: "v")
                    )
                }
            }
            query.parameters = Parameters().setValue(deep, forName: "p")
            expect(CBLError.invalidQueryParam) { _ = try query.execute() }
            let built = QueryBuilder.select(SelectResult.expression(Expression.value(deep)))
                .from(DataSource.collection(try home.collection))
            expect(CBLError.invalidQuery) { _ = try built.execute() }
            let sealed = MutableDocument().setEncryptable(Encryptable(deep), forKey: "e")
            expect(CBLError.invalidParameter) { try home.collection.save(document: sealed) }
            #expect(
                !Blob.isBlob(properties: ["@type": "blob", "digest": "sha1-x", "length": deep])
            )
            let used = try peakByteCount() - before
            guard used < 4 << 20 else {
                print("\(used) bytes")
                CurrentProcess.exit(1)
            }
            CurrentProcess.exit(0)
        }
    }

    /// The same content as Swift's, Foundation's and JSON's containers.
    @Test func `Swift and Foundation containers are stored as the same JSON`() throws {
        let (none, some): (Int?, Int?) = (nil, 7)
        let values: [(Any, String)] = [
            (["a": 1, "b": 2], #"{"a":1,"b":2}"#), ([1, 2], "[1,2]"), (["x", "y"], #"["x","y"]"#),
            ([[1], [2, 3]], "[[1],[2,3]]"),
            (["a": ["b": ["c": [true]]]], #"{"a":{"b":{"c":[true]}}}"#),
            ([["a": 1.5], ["b": 2.5]], #"[{"a":1.5},{"b":2.5}]"#), ([none, some], "[null,7]"),
            (["a": none, "b": some], #"{"a":null,"b":7}"#), ([AnyHashable("k"): 1], #"{"k":1}"#),
            (NSArray(array: [1, "x", NSNull()]), #"[1,"x",null]"#), ([Any](), "[]"),
            (NSDictionary(dictionary: ["a": [1, ["b": 2]]]), #"{"a":[1,{"b":2}]}"#),
            (NSString("text"), #""text""#), (Optional(Optional(["a": 1])) as Any, #"{"a":1}"#),
            (AnyHashable(3), "3"), ([AnyHashable("x")], #"["x"]"#), ([String: Any](), "{}"),
            (Optional<[Int]>.none as Any, "null"), (Int8(1), "1"), (Decimal(2), "2"),
            ([Float16(1.5)], "[1.5]"), ([UInt64.max], "[18446744073709551615]"),
            ([["a": nil as Any?], ["b": 1]], #"[{"a":null},{"b":1}]"#),
            ([NSDictionary(dictionary: ["a": NSArray(array: [true, 2])])], #"[{"a":[true,2]}]"#),
            (["a": NSMutableArray(array: [Int8(5), none as Any])], #"{"a":[5,null]}"#),
            (NSArray(array: [Encryptable("x")]), #"[{"@type":"encryptable","value":"x"}]"#),
        ]
        for (value, json) in values {
            let document = MutableDocument(id: "d").setValue(value, forKey: "v")
            try home.collection.save(document: document)
            let read = try #require(try home.collection.document(id: "d"))
            #expect(read.toJSON() == #"{"v":\#(json)}"#)
        }
    }

    @Test func `a value from JSONSerialization is stored unchanged`() throws {
        let text =
            #"{"a":[1,2.5,true,null,"x",{"b":[[],{}],"c":false}],"n":-9223372036854775808,"u":18446744073709551615}"#
        let read = try JSONSerialization.jsonObject(with: Data(text.utf8))
        let document = MutableDocument(id: "d", data: try #require(read as? [String: Any]))
        try home.collection.save(document: document)
        #expect(try home.collection.document(id: "d")?.toJSON() == text)
    }

    @Test func `objects inside plain containers are returned as the same objects`() {
        let inner = MutableDictionaryObject(data: ["n": 1])
        let blob = Blob(contentType: "a/b", data: Data([1]))
        let document = MutableDocument(data: ["a": [1, inner, [blob], 2] as [Any]])
        #expect(document["a"][1].dictionary === inner)
        #expect(document["a"][2][0].blob === blob)
        #expect(document["a"][0].int == 1 && document["a"][3].int == 2)
        inner.setInt(2, forKey: "n")
        #expect(document["a"][1]["n"].int == 2)
    }

    /// Optimized, both take about the same time.
    ///
    /// A cast that converts a container at each level takes 80 times as long.
    @Test func `encoding nested containers is at most 25 times slower than parsing their JSON`()
        throws
    {
        let lines = (0..<20).map { number -> [String: Any] in
            [
                "sku": "S-\(number)", "count": number, "price": Double(number) + 0.5,
                "tags": ["a", "b"],
            ]
        }
        var order: Any = ["lines": lines, "open": true] as [String: Any]
        for _ in 0..<20 { order = ["order": order] as [String: Any] }
        let data = try #require(order as? [String: Any])
        let text = String(decoding: try JSONSerialization.data(withJSONObject: data), as: UTF8.self)
        let plain = leastProcessorTime { _ = try? MutableDocument(id: "d", json: text) }
        let nested = leastProcessorTime { _ = MutableDocument(id: "d", data: data) }
        #expect(nested < 25 * plain, "\(nested) and \(plain) µs")
    }

    private func leastProcessorTime(_ body: () -> Void) -> Int {
        (0..<20).map { _ in
            let start = ProcessorClock.process()
            for _ in 0..<5 { body() }
            return Int((ProcessorClock.process() - start) / 1_000)
        }.min() ?? 0
    }
}

/// The most memory that the process has used so far.
private func peakByteCount() throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
    return try #require(Int(line.split { $0 == " " || $0 == "\t" }[1])) << 10
}
