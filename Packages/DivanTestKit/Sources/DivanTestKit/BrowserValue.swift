import Foundation

/// A JavaScript value, as far as JSON can represent it.
public struct BrowserValue {
    private let json: Any

    init(_ json: Any) {
        self.json = json
    }

    /// The member of an object; `nil` if it is not an object, or lacks the member.
    public subscript(_ name: String) -> BrowserValue? {
        (json as? [String: Any])?[name].map { BrowserValue($0) }
    }

    /// The text; `nil` if it is not one.
    public var string: String? { json as? String }

    /// The number; `nil` if it is not one, or not an integer.
    public var int: Int? { json as? Int }

    /// The number; `nil` if it is not one.
    public var double: Double? { json as? Double }

    /// The value as JSON on one line, with members sorted by name.
    public var text: String {
        let options: JSONSerialization.WritingOptions = [
            .fragmentsAllowed, .sortedKeys, .withoutEscapingSlashes,
        ]
        let data = try? JSONSerialization.data(withJSONObject: json, options: options)
        return data.map { String(decoding: $0, as: UTF8.self) } ?? "null"
    }
}
