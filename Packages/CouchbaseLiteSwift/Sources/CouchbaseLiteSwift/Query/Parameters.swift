import DivanJSON
import DivanQuery
public import Foundation
import Synchronization

/// Values for the parameters of a query: `$name` in SQL++, `Expression.parameter` in built queries.
///
/// Queries copy their parameters. A parameter without a value, or with `nil`, is MISSING.
///
/// Source: `sqlpp.md` §11.
public final class Parameters: Sendable {
    private let isReadOnly: Bool
    private let entries: Mutex<[ExactText: ParameterValue]>

    /// Creates parameters without values.
    public convenience init() { self.init(parameters: nil) }

    /// Creates an editable copy of `parameters`, or an empty one for `nil`.
    public convenience init(parameters: Parameters?) {
        self.init(parameters?.snapshot.mapValues { $0.unsettled } ?? [:], isReadOnly: false)
    }

    private init(_ entries: [ExactText: ParameterValue], isReadOnly: Bool) {
        self.isReadOnly = isReadOnly
        self.entries = Mutex(entries)
    }

    /// Creates a copy whose values no longer change, for a query.
    convenience init(settling parameters: Parameters) {
        self.init(parameters.snapshot.mapValues { $0.settled }, isReadOnly: true)
    }

    /// Returns the value that was set, or `nil`: a date as a `Date`, a blob or a container as the same object.
    public func value(forName name: String) -> Any? {
        entries.withLock { $0[ExactText(name)]?.given }
    }

    /// Sets a value of any type that documents can store; `nil` removes the value.
    ///
    /// A parameter without a value, or with `NSNull`, is MISSING in the query. Mutable containers are copied when the
    /// parameters are assigned to a query. The query fails for an array or dictionary that contains an infinite number
    /// or NaN or is nested more than 128 levels deep, and for a date outside the years 0 to 9999.
    ///
    /// Any other type stops the program, and so does changing the parameters that `Query.parameters` returned: change a
    /// copy instead.
    @discardableResult
    public func setValue(_ value: Any?, forName name: String) -> Parameters {
        guard !isReadOnly else { stopForMisuse("This parameters object is readonly.") }
        guard let value else {
            entries.withLock { $0[ExactText(name)] = nil }
            return self
        }
        let parameter = ParameterValue(value)
        entries.withLock { $0[ExactText(name)] = parameter }
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

    private var snapshot: [ExactText: ParameterValue] { entries.withLock { $0 } }

    /// The values with which a query is run.
    ///
    /// - Throws: `invalidQueryParameter` for an array or dictionary with a number that JSON cannot express, for one that
    ///   is nested too deeply, and for a date that cannot be written.
    func bound() throws(QueryError) -> [ExactText: QueryValue] {
        var values: [ExactText: QueryValue] = [:]
        for (name, parameter) in snapshot {
            let json: JSON
            do {
                json = try parameter.json()
            } catch {
                throw QueryError(
                    "parameter '\(name)': \(error.reason)",
                    code: .invalidQueryParameter
                )
            }
            let value = QueryValue.parameter(json)
            // Empty without an exact text.
            guard value != .container([]) else {
                throw QueryError(
                    "parameter '\(name)' contains an infinite number or NaN, which is not allowed "
                        + "in arrays and dictionaries; remove it, or pass the number as a separate "
                        + "parameter",
                    code: .invalidQueryParameter
                )
            }
            values[name] = value
        }
        return values
    }
}
