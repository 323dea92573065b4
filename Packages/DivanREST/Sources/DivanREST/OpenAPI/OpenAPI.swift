import DivanHTTP
import DivanJSON

/// The OpenAPI 3.1 document of the interface, generated from the table of endpoints.
enum OpenAPI {
    /// The document.
    static let document: JSON = [
        "openapi": "3.1.0",
        "info": [
            "title": "Divan REST interface", "version": "1.0.0",
            "description": "Documents, lists, changes, queries and blobs of databases.",
            "license": ["name": "Apache-2.0", "identifier": "Apache-2.0"],
        ],
        "servers": [["url": "/"]],
        "security": [[:], ["password": []], ["token": []]],
        "paths": .object(JSONObject(RESTEndpoint.all.map { (key: $0.template, value: path($0)) })),
        "components": [
            "schemas": .object(schemas),
            "securitySchemes": [
                "password": ["type": "http", "scheme": "basic"],
                "token": ["type": "http", "scheme": "bearer"],
            ],
        ],
    ]

    /// The document as a response.
    static var response: HTTPResponse { .json(document, headers: ["Cache-Control": "no-cache"]) }

    private static func path(_ endpoint: RESTEndpoint) -> JSON {
        var path: JSONObject = [:]
        for operation in endpoint.operations {
            path[operation.method.lowercased()] = description(of: operation)
        }
        let names = endpoint.segments.compactMap { segment -> JSON? in
            guard case .name(let name) = segment else { return nil }
            return [
                "name": .string(name), "in": "path", "required": true,
                "schema": ["type": "string", "minLength": 1],
            ]
        }
        if !names.isEmpty { path["parameters"] = .array(names) }
        return .object(path)
    }

    private static func description(of operation: RESTOperation) -> JSON {
        var object: JSONObject = [
            "operationId": .string(operation.name), "summary": .string(operation.summary),
            "responses": .object(responses(of: operation)),
        ]
        if !operation.parameters.isEmpty {
            object["parameters"] = .array(operation.parameters.map(description))
        }
        if !operation.bodies.isEmpty {
            object["requestBody"] = ["required": true, "content": contents(operation.bodies)]
        }
        return .object(object)
    }

    private static func description(of parameter: RESTOperation.Parameter) -> JSON {
        [
            "name": .string(parameter.name), "in": parameter.isHeader ? "header" : "query",
            "required": .bool(parameter.isRequired), "schema": parameter.schema,
            "description": .string(parameter.description),
        ]
    }

    private static func responses(of operation: RESTOperation) -> JSONObject {
        // A response to `HEAD` has the type of the problem, but no body.
        let problem: [(type: String, schema: JSON)] =
            operation.method == "HEAD" ? [] : [("application/problem+json", .schema("Problem"))]
        var responses: JSONObject = [
            "4XX": response("the request cannot be carried out", problem),
            "5XX": response("the server failed, or is busy", problem),
        ]
        for error in operation.errors {
            responses["\(error.status)"] = response(error.description, problem)
        }
        for own in operation.responses {
            responses["\(own.status)"] = response(
                own.description,
                own.contents,
                hasETag: own.hasETag
            )
        }
        return responses
    }

    private static func response(
        _ description: String,
        _ bodies: [(type: String, schema: JSON)],
        hasETag: Bool = false
    ) -> JSON {
        var response: JSONObject = ["description": .string(description)]
        if !bodies.isEmpty { response["content"] = contents(bodies) }
        if hasETag { response["headers"] = ["ETag": ["schema": .text]] }
        return .object(response)
    }

    private static func contents(_ bodies: [(type: String, schema: JSON)]) -> JSON {
        .object(JSONObject(bodies.map { (key: $0.type, value: ["schema": $0.schema]) }))
    }
}
