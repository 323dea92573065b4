import DivanJSON

/// The endpoints of one document.
extension RESTEndpoint {
    static let documents = [
        RESTEndpoint(
            .document,
            "/{database}/{collection}/{id}",
            RESTOperation.reading(
                "getDocument",
                "Read a document, or the value at a path in it",
                [.path, .revision, .ifMatch, .ifNoneMatch],
                RESTOperation.Response(
                    status: 200,
                    description: "the document, or the value at the path",
                    contents: [("application/json", [:])],
                    hasETag: true
                ),
                errors: [.outdated]
            ) + [put, patch, delete]
        ),
        RESTEndpoint(
            .blob,
            "/{database}/{collection}/{id}/_blobs/{key}",
            RESTOperation.reading(
                "getBlob",
                "Read a blob, or a range of its bytes",
                [.revision, .ifMatch, .ifNoneMatch, .header("Range", "such as bytes=0-99")],
                RESTOperation.Response(
                    status: 200,
                    description: "the content",
                    contents: [("application/octet-stream", .text)],
                    hasETag: true
                ),
                RESTOperation.Response(
                    status: 206,
                    description: "the requested range",
                    contents: [("application/octet-stream", .text)],
                    hasETag: true
                ),
                RESTOperation.Response(
                    status: 416,
                    description: "the blob has no such range",
                    contents: [("application/octet-stream", .text)]
                ),
                errors: [.outdated]
            ) + [
                RESTOperation(
                    method: "PUT",
                    name: "putBlob",
                    summary: "Store a blob under a key of the document",
                    parameters: [.revision, .ifMatch],
                    bodies: [("application/octet-stream", .text)],
                    responses: [.saved(200, "stored")],
                    errors: [.conflict, .tooLarge]
                )
            ]
        ),
    ]

    private static let put = RESTOperation(
        method: "PUT",
        name: "putDocument",
        summary: "Create or replace a document, or set the value at a path in it",
        parameters: [
            .path, .revision, .ifMatch,
            .header("If-None-Match", "* creates the document, or fails if it exists"),
        ],
        bodies: [("application/json", [:])],
        responses: [.saved(200, "replaced"), .saved(201, "created")],
        errors: [.conflict, .tooLarge]
    )

    private static let patch = RESTOperation(
        method: "PATCH",
        name: "patchDocument",
        summary: "Change parts of a document (RFC 7396, RFC 6902)",
        parameters: [.revision, .ifMatch],
        bodies: [
            (RESTPatch.mergeType, .schema("MergePatch")),
            (RESTPatch.listType, .schema("JSONPatch")),
        ],
        responses: [.saved(200, "changed")],
        errors: [.conflict, .tooLarge, .badType]
    )

    private static let delete = RESTOperation(
        method: "DELETE",
        name: "deleteDocument",
        summary: "Delete a document, or remove the value at a path in it",
        parameters: [.path, .revision, .ifMatch],
        responses: [.saved(200, "deleted")],
        errors: [.conflict]
    )
}

extension RESTOperation {
    /// `GET` and `HEAD`.
    static func reading(
        _ name: String,
        _ summary: String,
        _ parameters: [Parameter] = [],
        schema: String
    ) -> [RESTOperation] {
        reading(name, summary, parameters, .json(200, "the answer", .schema(schema)), errors: [])
    }

    /// `GET` and `HEAD`.
    static func reading(
        _ name: String,
        _ summary: String,
        _ parameters: [Parameter],
        _ responses: Response...,
        errors: [Failure]
    ) -> [RESTOperation] {
        let isConditional = parameters.contains { $0.name == "If-None-Match" }
        let unchanged = Response(status: 304, description: "unchanged", hasETag: true)
        let all = responses + (isConditional ? [unchanged] : [])
        let heads = all.map { response in
            var head = response
            head.contents = []
            return head
        }
        return [("GET", name, all), ("HEAD", name + "Head", heads)].map { method, name, responses in
            RESTOperation(
                method: method,
                name: name,
                summary: summary,
                parameters: parameters,
                responses: responses,
                errors: errors
            )
        }
    }
}

extension RESTOperation.Parameter {
    static let path = query("path", .text, "a JSON pointer (RFC 6901) to a value: /address/city")
    static let revision = query("rev", .text, "the expected revision, in place of If-Match")
    static let ifMatch = header(
        "If-Match",
        "the expected revision: the ETag of an earlier response"
    )
    static let ifNoneMatch = header("If-None-Match", "the ETag of the content that you have")
    static let includeDocuments = query(
        "include_docs",
        ["type": "boolean"],
        "include the documents"
    )
    static let explain = query("explain", ["type": "boolean"], "return the query plan")

    static func query(
        _ name: String,
        _ schema: JSON,
        isRequired: Bool = false,
        _ description: String
    ) -> Self {
        Self(name: name, isRequired: isRequired, schema: schema, description: description)
    }

    static func header(_ name: String, _ description: String) -> Self {
        Self(name: name, isHeader: true, schema: .text, description: description)
    }
}

extension RESTOperation.Response {
    static let rows = json(200, "the rows, or the plan", .schema("QueryResult"))

    static func json(_ status: Int, _ description: String, _ schema: JSON) -> Self {
        Self(status: status, description: description, contents: [("application/json", schema)])
    }

    static func saved(_ status: Int, _ description: String) -> Self {
        var response = json(status, description, .schema("Saved"))
        response.hasETag = true
        return response
    }
}

extension RESTOperation.Failure {
    static let conflict = Self(status: 409, description: "another revision is current")
    static let outdated = Self(status: 412, description: "another revision is current")
    static let tooLarge = Self(status: 413, description: "the body or the document is too large")
    static let queryTooLarge = Self(status: 413, description: "the query needs too much memory")
    static let forbiddenQuery = Self(status: 403, description: "you may not run this query")
    static let badType = Self(status: 415, description: "the content type is not that of a patch")
}
