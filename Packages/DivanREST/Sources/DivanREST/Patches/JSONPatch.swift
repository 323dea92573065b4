import DivanJSON

/// A list of operations that change a document: all are applied, or none.
///
/// Operations, copied bytes, moved items and the depth of the result are limited, because a few operations could
/// otherwise make a document of any size.
///
/// Source: RFC 6902.
struct JSONPatch {
    /// What an operation does.
    enum Action {
        case add(JSON)
        case remove
        case replace(JSON)
        case move(from: JSONPointer)
        case copy(from: JSONPointer)
        case test(JSON)
    }

    /// One operation.
    struct Operation {
        let name: String
        let path: String
        let pointer: JSONPointer
        let action: Action
    }

    let operations: [Operation]

    /// Reads a patch.
    ///
    /// - Throws: `JSONError`; `RESTError` for anything but a list of at most `limit` known operations.
    init(parsing bytes: ArraySlice<UInt8>, limit: Int) throws {
        guard let items = try JSON(parsing: bytes).array else {
            throw RESTError.bad(
                #"a JSON patch must be a list: [{"op":"replace","path":"/a","value":1}]"#
            )
        }
        guard items.count <= limit else {
            throw RESTError(413, "too_large", "the patch has more than \(limit) operations")
        }
        operations = try items.enumerated().map { try Self.operation($1, at: $0) }
    }

    private static func operation(_ item: JSON, at place: Int) throws(RESTError) -> Operation {
        let fault = { (text: String) in RESTError.bad("operation \(place) of the patch: \(text)") }
        guard let name = item["op"]?.string, let path = item["path"]?.string else {
            throw fault("\"op\" and \"path\" must be strings")
        }
        guard let pointer = JSONPointer(path) else {
            throw fault("\"path\" must be empty or begin with a slash")
        }
        let action: Action
        switch name {
        case "remove": action = .remove
        case "add", "replace", "test":
            guard let value = item["value"] else { throw fault("\"value\" is missing") }
            action = name == "add" ? .add(value) : name == "test" ? .test(value) : .replace(value)
        case "move", "copy":
            guard let source = item["from"]?.string.flatMap({ JSONPointer($0) }) else {
                throw fault("\"from\" must be a string: empty, or a path that begins with a slash")
            }
            action = name == "move" ? .move(from: source) : .copy(from: source)
        default: throw fault("\"op\" must be add, remove, replace, move, copy or test")
        }
        return Operation(name: name, path: path, pointer: pointer, action: action)
    }

    /// Changes a document.
    ///
    /// - Throws: `RESTError` 409 if an operation cannot be applied to it, 413 if the work exceeds the budget.
    func apply(to document: inout JSON, workLimit: Int) throws(RESTError) {
        var editor = JSONPatchEditor(document: document, rest: workLimit)
        document = .null
        for (place, operation) in operations.enumerated() {
            do throws(JSONPatchEditor.Fault) {
                try editor.apply(operation.action, at: operation.pointer)
            } catch {
                throw error.error(
                    "operation \(place) of the patch (\(operation.name) \"\(operation.path)\")",
                    at: place
                )
            }
        }
        document = editor.document
    }
}
