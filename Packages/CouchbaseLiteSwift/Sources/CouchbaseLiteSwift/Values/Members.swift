import DivanJSON

/// The members of a dictionary: JSON as parsed, until one is edited or held.
struct Members {
    private enum Storage {
        case plain(JSONObject)
        case live([ExactText: Value])
    }

    private var storage: Storage
    /// The database from which blobs in the plain part read their content.
    private(set) var origin: Database?

    init(_ object: JSONObject = JSONObject(), in origin: Database? = nil) {
        storage = .plain(object)
        self.origin = origin
    }

    var count: Int {
        switch storage {
        case .plain(let object): object.count
        case .live(let values): values.count
        }
    }

    var keys: [String] {
        switch storage {
        case .plain(let object): Array(object.keys)
        case .live(let values): values.keys.map(\.text)
        }
    }

    /// The value under `key`; setting `nil` removes it.
    subscript(key: String) -> Value? {
        get {
            switch storage {
            case .plain(let object): object[key].map { .json($0) }
            case .live(let values): values[ExactText(key)]
            }
        }
        set {
            makeLive()
            guard case .live(var values) = storage else { return }
            storage = .live([:])  // releases the only other reference: no copy below
            values[ExactText(key)] = newValue
            storage = .live(values)
        }
    }

    /// The members while they are still JSON as parsed; `nil` once one was edited or held.
    var plainObject: JSONObject? {
        guard case .plain(let object) = storage else { return nil }
        return object
    }

    /// Members that share no object with these.
    func copied(_ nesting: Nesting = .outermost) -> Members {
        guard case .live(let values) = storage else { return self }
        var copy = Members(JSONObject(), in: origin)
        copy.storage = .live(values.mapValues { $0.copied(nesting) })
        return copy
    }

    /// Makes new members that are now saved in `database` read their blobs from there.
    mutating func settle(in database: Database) {
        if origin == nil { origin = database }
        guard case .live(let values) = storage else { return }
        for value in values.values { value.settle(in: database) }
    }

    private mutating func makeLive() {
        guard case .plain(let object) = storage else { return }
        var values: [ExactText: Value] = [:]
        values.reserveCapacity(object.count)
        for (key, json) in object { values[ExactText(key)] = .json(json) }
        storage = .live(values)
    }
}

/// The elements of an array, in the same two states.
struct Elements {
    var values: [Value]
    /// The database from which blobs in the plain part read their content.
    private(set) var origin: Database?

    init(_ array: [JSON] = [], in origin: Database? = nil) {
        values = array.map { .json($0) }
        self.origin = origin
    }

    init(_ values: [Value], in origin: Database? = nil) {
        self.values = values
        self.origin = origin
    }

    func copied(_ nesting: Nesting = .outermost) -> Elements {
        Elements(values.map { $0.copied(nesting) }, in: origin)
    }

    /// As ``Members/settle(in:)``.
    mutating func settle(in database: Database) {
        if origin == nil { origin = database }
        for value in values { value.settle(in: database) }
    }
}

extension Value {
    /// As ``Members/settle(in:)``; a saved value contains no container inside itself.
    fileprivate func settle(in database: Database) {
        switch self {
        case .json, .blob, .unstorable: break
        case .dictionary(let dictionary): dictionary.members.settle(in: database)
        case .array(let array): array.elements.settle(in: database)
        }
    }

    /// The same value in separate objects; blobs are shared because they do not change.
    fileprivate func copied(_ nesting: Nesting) -> Value {
        switch self {
        case .json, .blob, .unstorable: self
        case .dictionary(let dictionary):
            .dictionary(MutableDictionaryObject(dictionary.members.copied(nesting.inner)))
        case .array(let array):
            .array(MutableArrayObject(array.elements.copied(nesting.inner)))
        }
    }

    /// The value as an object that callers may edit; a value that is not a container stays as it is.
    func live(in origin: Database?) -> Value {
        guard case .json(let json) = self else { return self }
        return switch json {
        case .object(let object) where object.isBlob: .blob(Blob(object, in: origin))
        // Read as a blob, and kept as it is.
        case .object(let object) where object.oldAttachment != nil: self
        case .object(let object):
            .dictionary(MutableDictionaryObject(Members(object, in: origin)))
        case .array(let array): .array(MutableArrayObject(Elements(array, in: origin)))
        default: self
        }
    }

    /// Whether `live(in:)` would create an object for it.
    var isPlainContainer: Bool {
        switch self {
        case .json(.object), .json(.array): true
        default: false
        }
    }
}
