import DivanDelta
import DivanJSON

private func parsing(_ text: String) -> () throws -> Void {
    let bytes = Array(text.utf8)
    return { _ = try JSON(parsing: bytes.span).canonicalBytes() }
}

private func list(_ count: Int, _ item: (Int) -> String) -> String {
    (0..<count).map(item).joined(separator: ",")
}

/// A number as text of nine digits, so that texts sort like numbers.
func digits(_ number: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, 9 - text.count)) + text
}

let jsonShapes: [Shape] = [
    Shape("JSON", "keys in descending order", from: 1_000) { count in
        parsing("{\(list(count) { "\"\(digits(count - $0))\":0" })}")
    },
    Shape("JSON", "one key, repeated", from: 1_000) { count in
        parsing("{\(list(count) { "\"k\":\($0)" })}")
    },
    Shape("JSON", "long keys that differ at their end", from: 200, to: 20_000) { count in
        let long = String(repeating: "k", count: 200)
        return parsing("{\(list(count) { "\"\(long)\(digits(count - $0))\":0" })}")
    },
    Shape("JSON", "numbers in one array", from: 1_000) { count in
        parsing("[\(list(count) { "\($0).5e\($0 % 300)" })]")
    },
    Shape("JSON", "one number of many digits", from: 1_000) { count in
        parsing("[1.\(String(repeating: "7", count: count))]")
    },
    Shape("JSON", "a string of escapes", from: 1_000) { count in
        parsing("[\"\(String(repeating: "\\u00e9", count: count))\"]")
    },
    Shape("JSON", "arrays as deep as allowed, side by side", from: 10, to: 40_000) { count in
        let deep = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
        return parsing("[\(list(count) { _ in deep })]")
    },
    Shape("JSONScanner", "keys in descending order", from: 1_000) { count in
        let bytes = Array("{\(list(count) { "\"\(digits(count - $0))\":0" })}".utf8)
        return { _ = try JSONScanner.validate(bytes.span) }
    },
    Shape("JSONReader", "a list that is skipped", from: 1_000) { count in
        let bytes = Array("[[\(list(count) { "[\($0),\"x\",{}]" })]]".utf8)
        return {
            var reader = JSONReader(bytes)
            try reader.skip()
            try reader.finish()
        }
    },
    Shape("JSONObject", "members from pairs", from: 1_000) { count in
        { _ = JSONObject((0..<count).map { (digits(count - $0), JSON($0)) }) }
    },
]

let deltaShapes: [Shape] = [
    Shape("Delta", "a patch of every member", from: 500) { count in
        let old = try JSON(parsing: "{\(list(count) { "\"\(digits($0))\":0" })}")
        let delta = try JSON(parsing: "{\(list(count) { "\"\(digits($0))\":1" })}")
        return { _ = try JSONDelta.apply(delta, to: old) }
    },
    Shape("Delta", "sixteen nested patches of long arrays", from: 500) { count in
        var old = "[\(list(count) { "\($0)" })]"
        var delta = "{\"0\":1}"
        for _ in 0..<16 {
            old = "{\"a\":\(old)}"
            delta = "{\"a\":\(delta)}"
        }
        let (from, by) = (try JSON(parsing: old), try JSON(parsing: delta))
        return { _ = try JSONDelta.apply(by, to: from) }
    },
    Shape("Delta", "a text patch of many operations", from: 500) { count in
        let old = try JSON(parsing: "{\"t\":\"\(String(repeating: "ab", count: count))\"}")
        let patch = String(repeating: "1=1-", count: count)
        let delta = try JSON(parsing: "{\"t\":[\"\(patch)\",0,2]}")
        return { _ = try JSONDelta.apply(delta, to: old) }
    },
    Shape("Delta", "made of two bodies without a common item", from: 500) { count in
        let old = try JSON(parsing: "{\"l\":[\(list(count) { "{\"a\":\($0)}" })]}")
        let new = try JSON(parsing: "{\"l\":[\(list(count) { "{\"a\":-\($0 + 1)}" })]}")
        return { _ = JSONDelta.make(from: old, to: new) }
    },
]
