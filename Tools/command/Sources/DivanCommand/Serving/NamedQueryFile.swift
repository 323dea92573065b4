import DivanCommandLine
import DivanJSON
import DivanREST

/// The file of `divan serve --rest-queries`.
///
/// The file is JSON: `{"NAME":{"query":"SELECT …","parameters":{"NAME":"number"},"description":"…"}}`. Unknown members are
/// rejected, because a misspelled one would otherwise be ignored.
enum NamedQueryFile {
    /// Queries in a file.
    private static let queryCount = 10_000

    /// Reads the queries.
    ///
    /// - Throws: `Failure` that names the file and the query.
    static func read(_ path: String) throws -> [ExactText: RESTNamedQuery] {
        let root: JSON
        do {
            root = try JSON(parsing: try IdentityFile.contents(path).withoutByteOrderMark)
        } catch let error as JSONError {
            throw Failure(kind: .invalid, text: "\(path): \(error)")
        }
        guard let entries = root.object, entries.count <= queryCount else {
            throw Failure(
                kind: .invalid,
                sentence: "\(path): not a file of named queries",
                hint: #"write {"NAME": {"query": "SELECT …"}}"#
            )
        }
        var queries: [ExactText: RESTNamedQuery] = [:]
        for (name, value) in entries {
            do {
                queries[ExactText(name)] = try query(value)
            } catch {
                let failure = Failure(explaining: error)
                throw Failure(
                    kind: .invalid,
                    sentence: "\(path): query '\(name)': \(failure.sentence)",
                    hint: failure.hint
                )
            }
        }
        return queries
    }

    private static func query(_ value: JSON) throws -> RESTNamedQuery {
        let known = ["query", "parameters", "description"]
        guard let object = value.object, let text = object["query"]?.string else {
            throw Failure(kind: .invalid, text: "\"query\" is missing")
        }
        for key in object.keys where !known.contains(key) {
            throw Failure(kind: .invalid, text: "unknown member \"\(key)\"")
        }
        guard let types = (object["parameters"] ?? [:]).object else {
            throw Failure(kind: .invalid, text: "\"parameters\" is not an object")
        }
        var parameters: [ExactText: RESTNamedQuery.ParameterType] = [:]
        for (name, value) in types {
            guard let type = value.string.flatMap({ RESTNamedQuery.ParameterType(rawValue: $0) })
            else {
                let names = RESTNamedQuery.ParameterType.allCases.map(\.rawValue)
                throw Failure(
                    kind: .invalid,
                    sentence: "unknown type of parameter \"\(name)\"",
                    hint: "use \(names.joined(separator: ", "))"
                )
            }
            parameters[ExactText(name)] = type
        }
        if let description = object["description"], description.string == nil {
            throw Failure(kind: .invalid, text: "\"description\" is not a string")
        }
        return try RESTNamedQuery(
            text,
            parameters: parameters,
            description: object["description"]?.string
        )
    }
}
