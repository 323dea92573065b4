import DivanJSON
import Foundation

/// The value of one query parameter.
///
/// Unchecked: a mutable container in it belongs to the caller, and is read only when the caller sets a value or passes
/// parameters to a query; a query holds a settled value.
struct ParameterValue: @unchecked Sendable {
    private enum Content {
        /// As the caller may still edit it.
        case live(Value)
        /// As a query uses it.
        case settled(Swift.Result<JSON, Unstorable>)
    }

    /// What the caller set; `nil` for values that are read as their JSON.
    private let object: Any?
    private let content: Content

    private init(object: Any?, content: Content) {
        self.object = object
        self.content = content
    }

    init(_ any: Any) {
        let value = Value(any)
        switch value {
        case .json where !(any is Date): self.init(object: nil, content: .live(value))
        default: self.init(object: any, content: .live(value))
        }
    }

    /// The value as it was set; `nil` for null.
    var given: Any? {
        if let object { return object }
        guard let json = try? json(), !json.isNull else { return nil }
        return json.plainValue(in: nil)
    }

    /// The same value; later changes of its containers have no effect on it.
    var settled: ParameterValue {
        do {
            return ParameterValue(object: object, content: .settled(.success(try json())))
        } catch {
            return ParameterValue(object: object, content: .settled(.failure(error)))
        }
    }

    /// The same value, with its containers as they are now.
    var unsettled: ParameterValue { object.map { ParameterValue($0) } ?? self }

    /// The value as a query uses it.
    func json() throws(Unstorable) -> JSON {
        switch content {
        case .settled(let json): return try json.get()
        case .live(let value):
            if let unstorable = value.unstorable() { throw unstorable }
            return value.queryJSON
        }
    }
}
