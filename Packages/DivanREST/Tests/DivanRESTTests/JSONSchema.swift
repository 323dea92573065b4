import DivanJSON
import DivanTestKit

/// The part of JSON Schema that the OpenAPI document uses.
struct JSONSchema {
    let schema: JSON
    let document: JSON

    private var own: JSON {
        guard let reference = schema["$ref"]?.string,
            let pointer = JSONPointer(String(reference.dropFirst()))
        else { return schema }
        return document[pointer] ?? [:]
    }

    private var types: [String] {
        own["type"]?.array?.compactMap(\.string) ?? own["type"]?.string.map { [$0] } ?? []
    }

    /// What is wrong with a value; `nil` if it fits.
    func problem(of value: JSON, at path: String = "") -> String? {
        let own = own
        if !types.isEmpty, !types.contains(where: { Self.fits(value, $0) }) {
            return "\(path): \(value.kind) is not \(types)"
        }
        if let values = own["enum"]?.array, !values.contains(value) {
            return "\(path): not in enum"
        }
        if let least = own["minimum"]?.double, let number = value.double, number < least {
            return "\(path): \(number) is below \(least)"
        }
        for key in own["required"]?.array ?? [] where value.object?[key.string ?? ""] == nil {
            return "\(path): \(key) is missing"
        }
        for (key, schema) in own["properties"]?.object ?? [:] {
            guard let member = value[key] else { continue }
            let inner = JSONSchema(schema: schema, document: document)
            if let problem = inner.problem(of: member, at: "\(path)/\(key)") { return problem }
        }
        guard let items = value.array, let schema = own["items"] else { return nil }
        let inner = JSONSchema(schema: schema, document: document)
        for item in items {
            if let problem = inner.problem(of: item, at: path + "/*") { return problem }
        }
        return nil
    }

    private static func fits(_ value: JSON, _ type: String) -> Bool {
        switch value {
        case .int, .uint: type == "integer" || type == "number"
        case .double, .long: type == "number"
        case .bool: type == "boolean"
        default: type == value.kind.rawValue
        }
    }

    /// A random value that fits, or one of another type now and then.
    func value(_ generator: inout SeededGenerator, depth: Int = 0) -> JSON {
        guard Int.random(in: 0..<8, using: &generator) > 0 else { return any(&generator, depth) }
        if let values = own["enum"]?.array {
            return values.randomElement(using: &generator) ?? .null
        }
        switch types.randomElement(using: &generator) {
        case "object":
            var object: JSONObject = [:]
            let required = own["required"]?.array?.compactMap(\.string) ?? []
            for (key, schema) in own["properties"]?.object ?? [:]
            where required.contains(where: { $0.utf8.elementsEqual(key.utf8) })
                || Bool.random(using: &generator)
            {
                let inner = JSONSchema(schema: schema, document: document)
                object[key] = inner.value(&generator, depth: depth + 1)
            }
            for _ in 0..<Int.random(in: 0..<3, using: &generator) {
                object[Self.text(&generator)] = any(&generator, depth)
            }
            return .object(object)
        case "array":
            let inner = JSONSchema(schema: own["items"] ?? [:], document: document)
            let count = Int.random(in: 0..<4, using: &generator)
            return .array((0..<count).map { _ in inner.value(&generator, depth: depth + 1) })
        case "string": return .string(Self.text(&generator))
        case "integer": return .int(Int64.random(in: -1...300, using: &generator))
        case "boolean": return .bool(Bool.random(using: &generator))
        default: return any(&generator, depth)
        }
    }

    private func any(_ generator: inout SeededGenerator, _ depth: Int) -> JSON {
        switch Int.random(in: 0..<(depth < 3 ? 8 : 6), using: &generator) {
        case 0: return .null
        case 1: return .bool(true)
        case 2: return .int(Int64.random(in: .min ... .max, using: &generator))
        case 3: return .double(Double.random(in: -1e9...1e9, using: &generator))
        case 4, 5: return .string(Self.text(&generator))
        case 6: return .array([any(&generator, depth + 1)])
        default: return .object([Self.text(&generator): any(&generator, depth + 1)])
        }
    }

    /// Texts that are special somewhere.
    static func text(_ generator: inout SeededGenerator) -> String {
        let texts = [
            "", "a", "_id", "/a", "/a/b/0", "/-", "~1", "soup", "*", "1-a", "\"1-a\"", "now", "0",
            "-1", "99999999999999999999", "true", "longpoll", "SELECT META().id FROM _", "SELECT",
            "\u{0}", "é", "🦜", "a b", "%", "..", "{}", "[1]", String(repeating: "x", count: 300),
        ]
        return texts.randomElement(using: &generator) ?? ""
    }
}
