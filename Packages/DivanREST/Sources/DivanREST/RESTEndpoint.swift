import DivanHTTP
import DivanJSON

/// A path and its methods: an entry of the table by which requests are routed, and from which the OpenAPI document is
/// generated.
struct RESTEndpoint: Sendable {
    /// What a path refers to.
    enum Kind: CaseIterable {
        case server, openAPI, database, query, namedQuery
        case collection, list, changes, bulk, document, blob
    }

    /// One segment of a path.
    enum Segment: Equatable {
        /// This text.
        case text(String)
        /// Any text, called by this name.
        case name(String)
    }

    let kind: Kind
    /// The path as OpenAPI writes it: `/{database}/_query`.
    let template: String
    let segments: [Segment]
    let operations: [RESTOperation]
    /// Whether requests run a query, which may take long.
    let isQuery: Bool

    init(
        _ kind: Kind,
        _ template: String,
        isQuery: Bool = false,
        _ operations: [RESTOperation]
    ) {
        self.kind = kind
        self.template = template
        self.operations = operations
        self.isQuery = isQuery
        segments = template.split(separator: "/").map { part in
            part.hasPrefix("{") ? .name(String(part.dropFirst().dropLast())) : .text(String(part))
        }
    }

    /// The values of a path's names; `nil` if it is another path.
    func values(_ parts: [String]) -> [String]? {
        guard parts.count == segments.count else { return nil }
        var values: [String] = []
        for (part, segment) in zip(parts, segments) {
            switch segment {
            case .text(let text): guard part.utf8.elementsEqual(text.utf8) else { return nil }
            // Names with an underscore are reserved for endpoints.
            case .name("id") where part.hasPrefix("_"): return nil
            case .name("collection")
            where part.hasPrefix("_") && part != "_default" && !part.hasPrefix("_default."):
                return nil
            case .name: values.append(part)
            }
        }
        return values
    }

    /// The endpoint of a path, and the values of its names; `nil` if there is none.
    static func fitting(_ target: HTTPTarget) -> (endpoint: RESTEndpoint, names: [String])? {
        let parts = parts(of: target)
        for endpoint in all {
            if let names = endpoint.values(parts) { return (endpoint, names) }
        }
        return nil
    }

    /// The segments of a path without the empty one after a final slash.
    static func parts(of target: HTTPTarget) -> [String] {
        let parts = target.segments
        return parts.last == "" ? parts.dropLast() : parts
    }

    /// The methods, as the `Allow` field lists them.
    var methods: String { operations.map(\.method).joined(separator: ", ") }

    /// Refuses a method that the endpoint does not have.
    func check(_ method: String) throws(RESTError) {
        guard operations.contains(where: { $0.method == method }) else { throw .method(methods) }
    }
}

/// A method of an endpoint, as the OpenAPI document describes it.
struct RESTOperation: Sendable {
    /// A value in the query or in a header field.
    struct Parameter: Sendable {
        let name: String
        var isHeader = false
        var isRequired = false
        let schema: JSON
        let description: String
    }

    /// A response with a success status.
    struct Response: Sendable {
        let status: Int
        let description: String
        /// The content types of the body, and their schemas; none if there is no body.
        var contents: [(type: String, schema: JSON)] = []
        var hasETag = false
    }

    /// An error that is specific to an operation.
    struct Failure: Sendable {
        let status: Int
        let description: String
    }

    let method: String
    /// A name for generated clients.
    let name: String
    let summary: String
    var parameters: [Parameter] = []
    /// The content types of the body, and their schemas; none if there is no body.
    var bodies: [(type: String, schema: JSON)] = []
    let responses: [Response]
    var errors: [Failure] = []
}
