import DivanJSON
import DivanQuery
public import Foundation
import Synchronization

/// Values for the parameters of a query: `$name` in SQL++, `Expression.parameter` in code.
///
/// Queries copy their parameters. A parameter without a value, or with `nil`, is MISSING.
///
/// Source: `api.md` §2.
public final class Parameters: Sendable {
    /// A value as a query takes it, and its form when it was set.
    private struct Entry {
        let json: JSON
        let form: Form
    }

    fileprivate enum Form {
        case plain
        case date(Date)
        case blob(Blob)
        case array
        case dictionary
    }

    private let isReadOnly: Bool
    private let entries: Mutex<[ExactText: Entry]>

    /// Creates parameters without values.
    public convenience init() { self.init(parameters: nil) }

    /// Creates a copy that can be edited; without `parameters`, an empty one.
    public convenience init(parameters: Parameters?) {
        self.init(parameters, isReadOnly: false)
    }

    init(_ parameters: Parameters?, isReadOnly: Bool) {
        self.isReadOnly = isReadOnly
        entries = Mutex(parameters?.snapshot ?? [:])
    }

    /// Returns the value that was set, or `nil`; a date as a `Date`, a blob as the same `Blob`.
    public func value(forName name: String) -> Any? {
        guard let entry = entries.withLock({ $0[ExactText(name)] }), !entry.json.isNull else {
            return nil
        }
        return switch entry.form {
        case .plain: entry.json.plainValue(in: nil)
        case .date(let date): date
        case .blob(let blob): blob
        case .array, .dictionary: Value.json(entry.json).object(in: nil)
        }
    }

    /// Sets a value of any type that a document can hold; `nil` removes the value.
    ///
    /// A parameter without a value, or with `NSNull`, is MISSING in the query. An array or dictionary that contains an
    /// infinite number or NaN makes the query fail.
    ///
    /// Any other type is misuse and stops the program, as does changing the parameters that `Query.parameters`
    /// returned: change a copy instead.
    @discardableResult
    public func setValue(_ value: Any?, forName name: String) -> Parameters {
        guard !isReadOnly else { stopForMisuse("This parameters object is readonly.") }
        guard let value else {
            entries.withLock { $0[ExactText(name)] = nil }
            return self
        }
        let entry = Entry(json: Value(value).parameterJSON, form: Form(value))
        entries.withLock { $0[ExactText(name)] = entry }
        return self
    }

    /// Sets a string.
    @discardableResult
    public func setString(_ value: String?, forName name: String) -> Parameters {
        setValue(value, forName: name)
    }

    /// Sets a number.
    @discardableResult
    public func setNumber(_ value: NSNumber?, forName name: String) -> Parameters {
        setValue(value, forName: name)
    }

    /// Sets an integer.
    @discardableResult
    public func setInt(_ value: Int, forName name: String) -> Parameters {
        setValue(value, forName: name)
    }

    /// Sets an integer.
    @discardableResult
    public func setInt64(_ value: Int64, forName name: String) -> Parameters {
        setValue(value, forName: name)
    }

    /// Sets a number.
    @discardableResult
    public func setFloat(_ value: Float, forName name: String) -> Parameters {
        setValue(value, forName: name)
    }

    /// Sets a number.
    @discardableResult
    public func setDouble(_ value: Double, forName name: String) -> Parameters {
        setValue(value, forName: name)
    }

    /// Sets a boolean.
    @discardableResult
    public func setBoolean(_ value: Bool, forName name: String) -> Parameters {
        setValue(value, forName: name)
    }

    /// Sets a date, which the query sees as a string.
    @discardableResult
    public func setDate(_ value: Date?, forName name: String) -> Parameters {
        setValue(value, forName: name)
    }

    /// Sets a blob, which the query sees as its metadata.
    @discardableResult
    public func setBlob(_ value: Blob?, forName name: String) -> Parameters {
        setValue(value, forName: name)
    }

    /// Sets an array.
    @discardableResult
    public func setArray(_ value: ArrayObject?, forName name: String) -> Parameters {
        setValue(value, forName: name)
    }

    /// Sets a dictionary.
    @discardableResult
    public func setDictionary(_ value: DictionaryObject?, forName name: String) -> Parameters {
        setValue(value, forName: name)
    }

    private var snapshot: [ExactText: Entry] { entries.withLock { $0 } }

    /// The values with which a query is run.
    ///
    /// - Throws: `invalidQueryParameter` for an array or dictionary with a number that JSON cannot express.
    func bound() throws(QueryError) -> [ExactText: QueryValue] {
        var values: [ExactText: QueryValue] = [:]
        for (name, entry) in snapshot {
            let value = QueryValue.parameter(entry.json)
            // Empty without an exact text.
            guard value != .container([]) else {
                throw QueryError(
                    "the parameter '\(name)' contains an infinite number or NaN, which no array and no dictionary of"
                        + " a query can hold; leave it out, or pass the number as a parameter of its own",
                    code: .invalidQueryParameter
                )
            }
            values[name] = value
        }
        return values
    }
}

extension Parameters.Form {
    fileprivate init(_ value: Any?) {
        switch value {
        case let date as Date: self = .date(date)
        case let blob as Blob: self = .blob(blob)
        case is ArrayObject: self = .array
        case is DictionaryObject: self = .dictionary
        default: self = .plain
        }
    }
}

extension Value {
    /// The value as a query takes it.
    fileprivate var parameterJSON: JSON {
        Elements([self]).metadataArray().first ?? .null
    }
}
