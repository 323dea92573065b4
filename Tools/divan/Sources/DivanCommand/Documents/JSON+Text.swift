import DivanJSON

extension JSON {
    /// The canonical text of the value; numbers that JSON cannot hold never get this far.
    var canonicalText: String {
        String(decoding: (try? canonicalBytes()) ?? [], as: UTF8.self)
    }

    /// The text with one member per line, for people.
    func indentedText(depth: Int = 0) -> String {
        let outer = String(repeating: "  ", count: depth)
        let inner = outer + "  "
        switch self {
        case .array(let items) where !items.isEmpty:
            let lines = items.map { inner + $0.indentedText(depth: depth + 1) }
            return "[\n" + lines.joined(separator: ",\n") + "\n\(outer)]"
        case .object(let object) where !object.isEmpty:
            let lines = object.map { member in
                let key = JSON.string(member.key).canonicalText
                return "\(inner)\(key): \(member.value.indentedText(depth: depth + 1))"
            }
            return "{\n" + lines.joined(separator: ",\n") + "\n\(outer)}"
        default:
            return canonicalText
        }
    }
}
