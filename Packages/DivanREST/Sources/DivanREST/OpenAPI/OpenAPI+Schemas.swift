import DivanJSON

extension JSON {
    /// The schema of a text.
    static let text: JSON = ["type": "string"]
    /// The schema of a number above 0.
    static let count: JSON = ["type": "integer", "minimum": 1]
    /// The schema of a document.
    static let document = schema("Document")

    /// A reference to a schema of the OpenAPI document.
    static func schema(_ name: String) -> JSON {
        ["$ref": .string("#/components/schemas/\(name)")]
    }

    /// The schema of an object.
    fileprivate static func members(_ members: JSONObject, required: [String]) -> JSON {
        [
            "type": "object", "properties": .object(members),
            "required": .array(required.map { .string($0) }),
        ]
    }

    /// The schema of a list.
    fileprivate static func list(_ item: JSON) -> JSON { ["type": "array", "items": item] }
}

extension OpenAPI {
    /// The schemas of bodies.
    static let schemas = JSONObject(
        [
            ("Document", ["type": "object", "description": "its keys do not begin with _"]),
            (
                "Problem",
                .members(
                    [
                        "type": .text, "title": .text, "status": ["type": "integer"],
                        "detail": .text,
                        "error": ["type": "string", "description": "a code for programs"],
                        "reason": ["type": "string", "description": "the same as detail"],
                        "rev": ["type": "string", "description": "the current revision"],
                        "operation": [
                            "type": "integer",
                            "description": "the index of the operation that failed",
                        ],
                    ],
                    required: ["type", "title", "status", "detail", "error", "reason"]
                )
            ),
            (
                "Server",
                .members(
                    ["divan": .text, "databases": .list(.text)],
                    required: ["divan", "databases"]
                )
            ),
            (
                "OpenAPI",
                .members(["openapi": .text, "paths": ["type": "object"]], required: ["openapi"])
            ),
            (
                "Collection",
                .members(
                    ["name": .text, "count": .number, "sequence": .number],
                    required: ["name"]
                )
            ),
            (
                "NamedQuery",
                .members(
                    [
                        "name": .text, "description": .text,
                        "parameters": ["type": "object", "additionalProperties": .text],
                    ],
                    required: ["name", "parameters"]
                )
            ),
            (
                "Database",
                .members(
                    [
                        "name": .text, "collections": .list(.schema("Collection")),
                        "writable": ["type": "boolean"], "queries": .list(.schema("NamedQuery")),
                    ],
                    required: ["name", "collections", "writable", "queries"]
                )
            ),
            (
                "Saved", .members(["id": .text, "rev": .text], required: ["id", "rev"])
            ),
        ] + lists + requests
    )

    /// A position in a feed; a text for clients with a condition.
    private static let position: JSON = ["type": ["integer", "string"]]

    private static let lists: [JSONObject.Member] = [
        (
            "Rows",
            .members(
                [
                    "rows": .list(
                        .members(
                            ["id": .text, "rev": .text, "sequence": .number, "doc": .document],
                            required: ["id", "rev"]
                        )
                    ),
                    "next": .text, "damaged": .number,
                ],
                required: ["rows"]
            )
        ),
        (
            "Changes",
            .members(
                [
                    "results": .list(
                        .members(
                            [
                                "id": .text, "rev": .text, "sequence": position,
                                "deleted": ["type": "boolean"], "conflict": ["type": "boolean"],
                                "doc": .document,
                            ],
                            required: ["id", "rev", "sequence"]
                        )
                    ),
                    "last_sequence": position, "damaged": .number,
                ],
                required: ["results", "last_sequence"]
            )
        ),
        (
            "QueryResult",
            .members(
                [
                    "rows": .list(["type": "object"]), "sql": .text,
                    "steps": .list(["type": "object"]),
                ],
                required: []
            )
        ),
        (
            "BulkResults",
            .list(
                .members(
                    [
                        "ok": ["type": "boolean"], "id": [:], "rev": .text, "error": .text,
                        "reason": .text, "status": .number,
                    ],
                    required: []
                )
            )
        ),
    ]

    private static let requests: [JSONObject.Member] = [
        (
            "Query",
            .members(["query": .text, "parameters": ["type": "object"]], required: ["query"])
        ),
        (
            "BulkDocuments",
            .members(
                [
                    "docs": .list(
                        .members(
                            ["_id": .text, "_rev": .text, "_deleted": ["type": "boolean"]],
                            required: []
                        )
                    )
                ],
                required: ["docs"]
            )
        ),
        ("MergePatch", ["type": "object"]),
        (
            "JSONPatch",
            .list(
                .members(
                    [
                        "op": [
                            "enum": ["add", "remove", "replace", "move", "copy", "test"]
                        ],
                        "path": .text, "from": .text, "value": [:],
                    ],
                    required: ["op", "path"]
                )
            )
        ),
    ]
}

extension JSON {
    /// The schema of a number that is not negative.
    fileprivate static let number: JSON = ["type": "integer", "minimum": 0]
}
