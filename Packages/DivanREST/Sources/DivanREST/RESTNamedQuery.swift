public import DivanJSON
import DivanQuery

/// A query that clients run by its name, so that they need not send SQL++.
///
/// It reads only what the client may read.
///
/// ```swift
/// let cheap = try RESTNamedQuery("SELECT META().id FROM _ WHERE price <= $limit",
///                                parameters: ["limit": .number])
/// ```
public struct RESTNamedQuery: Sendable {
    /// The type of a parameter.
    public enum ParameterType: String, CaseIterable, Sendable {
        /// Text.
        case string
        /// A number.
        case number
        /// A number without a fraction.
        case integer
        /// `true` or `false`.
        case boolean
        /// Any value; in the query of a URL, as JSON text.
        case json
    }

    /// The query in SQL++.
    public let text: String
    /// The query, parsed once.
    let statement: QueryStatement
    /// The types of its parameters; each is required.
    public let parameters: [ExactText: ParameterType]
    /// A description for users.
    public let description: String?

    /// Checks a query.
    ///
    /// - Parameters:
    ///   - text: The query in SQL++.
    ///   - parameters: The types of its parameters, without `$`.
    ///   - description: A description for users.
    /// - Throws: `QueryError` with the position in the text.
    public init(
        _ text: String,
        parameters: [ExactText: ParameterType] = [:],
        description: String? = nil
    ) throws {
        statement = try QueryStatement(sql: text)
        self.text = text
        self.parameters = parameters
        self.description = description
    }

    /// The query as clients see it, without its text.
    func described(as name: String) -> JSON {
        let types = parameters.map { (key: $0.key.text, value: JSON.string($0.value.rawValue)) }
        var object: JSONObject = ["name": .string(name), "parameters": .object(JSONObject(types))]
        if let description { object["description"] = .string(description) }
        return .object(object)
    }

    /// The values of all parameters.
    ///
    /// - Parameters:
    ///   - names: The names that the client used.
    ///   - value: Returns the value of a parameter of a type; `nil` if the client sent none.
    /// - Returns: The values by their names.
    /// - Throws: `RESTError` 400 for missing, unknown and mistyped parameters.
    func values(
        sent names: [String],
        _ value: (String, ParameterType) throws -> JSON?
    ) throws -> JSONObject {
        for name in names where parameters[ExactText(name)] == nil {
            throw RESTError.bad("this query has no parameter \"\(name)\"")
        }
        var values: JSONObject = [:]
        for (name, type) in parameters {
            guard let own = try value(name.text, type) else {
                throw RESTError.bad("parameter \"\(name)\" (\(type)) is missing")
            }
            guard type.fits(own) else {
                throw RESTError.bad("parameter \"\(name)\" must be \(type.noun)")
            }
            values[name.text] = own
        }
        return values
    }
}

extension RESTNamedQuery.ParameterType {
    /// Whether a value has this type.
    func fits(_ value: JSON) -> Bool {
        switch (self, value) {
        case (.string, .string), (.boolean, .bool), (.json, _): true
        case (.number, .int), (.number, .uint), (.number, .double), (.number, .long): true
        case (.integer, .int), (.integer, .uint): true
        default: false
        }
    }

    /// The value of a text in a URL; `nil` for text of another type.
    func value(of text: String) -> JSON? {
        guard self != .string else { return .string(text) }
        return (try? JSON(parsing: text)).flatMap { fits($0) ? $0 : nil }
    }

    var noun: String {
        switch self {
        case .string: "a string"
        case .number: "a number"
        case .integer: "an integer"
        case .boolean: "true or false"
        case .json: "JSON"
        }
    }
}

/// The queries that a client may run.
public enum RESTQueryRights: Equatable, Sendable {
    /// All named queries, and others in SQL++.
    case all
    /// The named queries with these names; `nil` means all named queries.
    case named([ExactText]?)

    /// No query.
    public static let none = RESTQueryRights.named([])

    /// Whether the client may send SQL++.
    var allowsText: Bool { self == .all }

    func allows(_ name: String) -> Bool {
        switch self {
        case .all, .named(nil): true
        case .named(let names?): names.contains(ExactText(name))
        }
    }
}
