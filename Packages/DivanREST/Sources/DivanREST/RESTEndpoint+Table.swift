import DivanJSON

/// The table of endpoints; an earlier entry precedes a later one that also fits.
extension RESTEndpoint {
    static let all: [RESTEndpoint] =
        [server, openAPI, database, query, namedQuery] + collections + documents

    private static let server = RESTEndpoint(
        .server,
        "/",
        RESTOperation.reading(
            "listDatabases",
            "List the databases that you can use",
            schema: "Server"
        )
    )

    private static let openAPI = RESTEndpoint(
        .openAPI,
        "/_openapi.json",
        RESTOperation.reading(
            "describe",
            "Describe this interface (OpenAPI 3.1)",
            schema: "OpenAPI"
        )
    )

    private static let database = RESTEndpoint(
        .database,
        "/{database}",
        RESTOperation.reading(
            "describeDatabase",
            "List the collections and the named queries",
            schema: "Database"
        )
    )

    private static let query = RESTEndpoint(
        .query,
        "/{database}/_query",
        isQuery: true,
        [
            RESTOperation(
                method: "GET",
                name: "getQuery",
                summary: "Run a query in SQL++",
                parameters: [
                    .query("query", .text, isRequired: true, "the query, such as SELECT * FROM _"),
                    .query("parameters", .text, "a JSON object with the values of $NAME"),
                    .explain,
                ],
                responses: [.rows],
                errors: [.forbiddenQuery, .queryTooLarge]
            ),
            RESTOperation(
                method: "POST",
                name: "postQuery",
                summary: "Run a query in SQL++",
                parameters: [.explain],
                bodies: [("application/json", .schema("Query"))],
                responses: [.rows],
                errors: [.forbiddenQuery, .queryTooLarge]
            ),
        ]
    )

    private static let namedQuery = RESTEndpoint(
        .namedQuery,
        "/{database}/_query/{name}",
        isQuery: true,
        [
            RESTOperation(
                method: "GET",
                name: "getNamedQuery",
                summary: "Run a named query; its parameters are query items",
                responses: [.rows],
                errors: [.forbiddenQuery, .queryTooLarge]
            ),
            RESTOperation(
                method: "POST",
                name: "postNamedQuery",
                summary: "Run a named query; its parameters are members of the body",
                bodies: [("application/json", ["type": "object"])],
                responses: [.rows],
                errors: [.forbiddenQuery, .queryTooLarge]
            ),
        ]
    )

    private static let collections = [
        RESTEndpoint(
            .list,
            "/{database}/{collection}/_all_docs",
            RESTOperation.reading(
                "listDocuments",
                "List documents in the order of their IDs",
                [
                    .query("limit", .count, "the maximum number of rows"),
                    .query("after", .text, "start after this ID"),
                    .query("prefix", .text, "only IDs with this prefix"),
                    .includeDocuments,
                ],
                schema: "Rows"
            )
        ),
        RESTEndpoint(
            .changes,
            "/{database}/{collection}/_changes",
            [changes]
        ),
        RESTEndpoint(
            .bulk,
            "/{database}/{collection}/_bulk_docs",
            [
                RESTOperation(
                    method: "POST",
                    name: "saveDocuments",
                    summary: "Save and delete several documents in one transaction",
                    bodies: [("application/json", .schema("BulkDocuments"))],
                    responses: [
                        .json(201, "the result for each document, in order", .schema("BulkResults"))
                    ],
                    errors: [.tooLarge]
                )
            ]
        ),
        RESTEndpoint(
            .collection,
            "/{database}/{collection}",
            RESTOperation.reading(
                "describeCollection",
                "Show the number of documents and the last sequence",
                schema: "Collection"
            ) + [
                RESTOperation(
                    method: "POST",
                    name: "createDocument",
                    summary: "Create a document with a new ID",
                    bodies: [("application/json", .document)],
                    responses: [.saved(201, "created")],
                    errors: [.tooLarge]
                )
            ]
        ),
    ]

    private static let changes = RESTOperation(
        method: "GET",
        name: "listChanges",
        summary: "List changes after a sequence, wait for them, or stream them",
        parameters: [
            .query(
                "since",
                ["type": ["string", "integer"]],
                "start after this sequence: last_sequence of an earlier response, or now"
            ),
            .query("limit", .count, "the maximum number of changes"),
            .includeDocuments,
            .query(
                "feed",
                ["type": "string", "enum": ["normal", "longpoll", "eventsource"]],
                "wait for a change (longpoll), or stream changes (eventsource)"
            ),
            .query("timeout", .count, "milliseconds to wait with feed=longpoll"),
        ],
        responses: [
            RESTOperation.Response(
                status: 200,
                description: "the changes",
                contents: [
                    ("application/json", .schema("Changes")), ("text/event-stream", [:]),
                ]
            )
        ]
    )
}
