import DivanJSON

/// Applies operations to a document within a budget of work.
struct JSONPatchEditor {
    /// Why an operation cannot be applied.
    enum Fault: Error {
        /// There is no value at the operation's path, or at the path from which it copies.
        case missing
        /// The value at the path is another one.
        case differs
        /// A value cannot be moved into itself, nor can the document.
        case intoItself
        /// The result would be nested too deep.
        case tooDeep
        /// The budget is used up.
        case tooMuchWork

        /// The error for a client, in which `subject` failed.
        func error(_ subject: String, at place: Int? = nil) -> RESTError {
            let text: String
            switch self {
            case .missing: text = "there is no such place in the document"
            case .differs: text = "the document has another value"
            case .intoItself: text = "a value cannot be moved into itself"
            case .tooDeep: text = "the result would be nested too deep"
            case .tooMuchWork:
                return RESTError(
                    413,
                    "too_large",
                    "\(subject): the patch copies or moves too much; PUT the document instead"
                )
            }
            var error = RESTError(409, "patch_failed", "\(subject): \(text)")
            if let place { error.members["operation"] = JSON(place) }
            return error
        }
    }

    /// Nesting of a result: a deeper one could be stored, but not read again.
    static let depthLimit = JSONLimits.default.depth

    private(set) var document: JSON
    /// Bytes that can still be copied, and items that can still be moved.
    private var rest: Int

    init(document: JSON, rest: Int) {
        self.document = document
        self.rest = rest
    }

    mutating func apply(_ action: JSONPatch.Action, at pointer: JSONPointer) throws(Fault) {
        switch action {
        case .add(let value): try add(value, at: pointer)
        case .remove: _ = try remove(at: pointer)
        case .replace(let value): try replace(at: pointer, with: value)
        case .move(let source): try move(from: source, to: pointer)
        case .copy(let source):
            guard let value = document[source] else { throw .missing }
            try add(value, at: pointer)
        case .test(let value):
            guard let own = document[pointer] else { throw .missing }
            guard own.hasSameValue(as: value) else { throw .differs }
        }
    }

    /// Adds a value; at an existing member, replaces its value.
    mutating func add(_ value: JSON, at pointer: JSONPointer) throws(Fault) {
        try charge(for: value, at: pointer)
        guard let last = pointer.steps.last else {
            document = value
            return
        }
        guard
            let count = document.change(
                at: pointer.steps.dropLast(),
                { $0.insert(value, at: last) }
            )
        else { throw .missing }
        try spend(count)
    }

    /// Replaces an existing value.
    mutating func replace(at pointer: JSONPointer, with value: JSON) throws(Fault) {
        try charge(for: value, at: pointer)
        let done: Void? = document.change(at: pointer.steps[...]) { $0 = value }
        guard done != nil else { throw .missing }
    }

    /// Replaces a value, or adds it if its container exists.
    mutating func set(_ value: JSON, at pointer: JSONPointer) throws(Fault) {
        if document[pointer] != nil {
            try replace(at: pointer, with: value)
        } else {
            try add(value, at: pointer)
        }
    }

    /// Removes a value, and returns it.
    mutating func remove(at pointer: JSONPointer) throws(Fault) -> JSON {
        guard let last = pointer.steps.last else {
            defer { document = .null }
            return document
        }
        guard
            let (count, value) = document.change(
                at: pointer.steps.dropLast(),
                { $0.remove(at: last) }
            )
        else { throw .missing }
        try spend(count)
        return value
    }

    private mutating func move(from source: JSONPointer, to pointer: JSONPointer) throws(Fault) {
        let isBelow =
            source.steps.count < pointer.steps.count
            && zip(source.steps, pointer.steps).allSatisfy { $0.utf8.elementsEqual($1.utf8) }
        guard !isBelow else { throw .intoItself }
        guard document[source] != nil else { throw .missing }
        let value = try remove(at: source)
        try add(value, at: pointer)
    }

    private mutating func charge(for value: JSON, at pointer: JSONPointer) throws(Fault) {
        guard let extent = value.extent(upTo: rest) else { throw .tooMuchWork }
        guard pointer.steps.count + extent.depth <= Self.depthLimit else { throw .tooDeep }
        try spend(extent.byteCount)
    }

    private mutating func spend(_ count: Int) throws(Fault) {
        rest -= count
        guard rest >= 0 else { throw .tooMuchWork }
    }
}
