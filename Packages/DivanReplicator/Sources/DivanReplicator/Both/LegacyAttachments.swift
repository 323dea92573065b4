import DivanJSON
import DivanStore

/// The `_attachments` object that Sync Gateway requires in addition to a document's blobs.
///
/// Source: `blobs.md` §5.
enum LegacyAttachments {
    static let key = BlobReferences.attachmentsKey
    private static let prefix = "blob_"

    /// Limit for the bytes of pointers in one document's entries; entries beyond it are named by a number.
    ///
    /// A long key above many blobs is part of each name, so names alone could fill memory.
    private static let namesByteCount = 1 << 20

    /// Adds an entry for each blob of a body that is about to be sent.
    ///
    /// Stored entries that do not represent blobs stay; those that do are rewritten.
    static func add(to document: JSONObject, generation: UInt64) -> JSONObject {
        var attachments: [JSONObject.Member] = []
        for (name, value) in document[key]?.object ?? JSONObject()
        where !name.utf8.starts(with: prefix.utf8) {
            attachments.append((name, value))
        }
        var body = document
        body[key] = nil
        var room = namesByteCount
        for (number, blob) in BlobReferences.all(in: body).enumerated() {
            var entry = blob.members
            entry["@type"] = nil
            entry["stub"] = true
            // Versions have no generation.
            if generation > 0 { entry["revpos"] = JSON(generation) }
            room -= blob.pointerByteCount
            let name = room >= 0 ? blob.pointer : String(number)
            attachments.append((prefix + name, .object(entry)))
        }
        if !attachments.isEmpty { body[key] = .object(JSONObject(attachments)) }
        return body
    }

    /// Whether a received list represents all blobs of its body.
    ///
    /// A list without an entry for a blob belongs to the document itself, sent by a peer that leaves it unchanged.
    static func namesBlobs(_ list: JSONObject) -> Bool {
        list.contains { $0.key.utf8.starts(with: prefix.utf8) }
    }

    /// What a received entry represents, according to its name.
    fileprivate enum Entry {
        /// Nothing in the body.
        case foreign
        /// A blob whose place the name does not say.
        case numbered
        /// The blob at a place in the body.
        case blob(path: [String], content: JSONObject)

        init(_ name: String, _ value: JSON) {
            let place = name.utf8.dropFirst(prefix.utf8.count)
            if !name.utf8.starts(with: prefix.utf8) || place.isEmpty {
                self = .foreign
            } else if place.allSatisfy({ (0x30...0x39).contains($0) }) {
                self = .numbered
            } else if let pointer = JSONPointer(Substring(place)), let content = value.object {
                self = .blob(path: pointer.steps, content: content)
            } else {
                self = .foreign
            }
        }
    }
}

// Bodies are changed in place: copying for each entry would be quadratic.
extension JSONObject {
    /// Removes the entries of a received body that represent blobs, after adopting what another client changed through
    /// them.
    mutating func resolveAttachments() {
        guard let attachments = self[LegacyAttachments.key]?.object else { return }
        var kept: [Member] = []
        for (name, value) in attachments {
            switch LegacyAttachments.Entry(name, value) {
            case .numbered: continue
            case .blob(let path, let content):
                if !changeBlob(at: path[...], to: content) { kept.append((name, value)) }
            case .foreign: kept.append((name, value))
            }
        }
        self[LegacyAttachments.key] = kept.isEmpty ? nil : .object(JSONObject(kept))
    }

    /// Follows the path to a blob dictionary and gives it the content of an entry, if that differs; false if there is
    /// no blob dictionary.
    fileprivate mutating func changeBlob(
        at path: ArraySlice<String>,
        to content: JSONObject
    ) -> Bool {
        if let step = path.first {
            let rest = path.dropFirst()
            return withValue(of: step) { $0.changeBlob(at: rest, to: content) } ?? false
        }
        guard self["@type"]?.string == "blob" else { return false }
        guard let digest = content["digest"]?.string, digest != self["digest"]?.string else {
            return true
        }
        for key in keys where key != "@type" {
            if let changed = content[key] { self[key] = changed }
        }
        for key in ["length", "content_type"] where content[key] == nil { self[key] = nil }
        self["digest"] = .string(digest)
        return true
    }
}

extension JSON {
    fileprivate mutating func changeBlob(
        at path: ArraySlice<String>,
        to content: JSONObject
    ) -> Bool {
        if var object = takeObject() {
            defer { self = .object(object) }
            return object.changeBlob(at: path, to: content)
        }
        if var items = takeArray() {
            defer { self = .array(items) }
            guard let step = path.first, let index = Int(step), items.indices.contains(index) else {
                return false
            }
            return items[index].changeBlob(at: path.dropFirst(), to: content)
        }
        return false
    }

    // A container is taken out while it is changed, by separate functions: any other reference to it, however brief,
    // would make each change copy it completely.

    private mutating func takeObject() -> JSONObject? {
        guard case .object(let object) = self else { return nil }
        self = .null
        return object
    }

    private mutating func takeArray() -> [JSON]? {
        guard case .array(let items) = self else { return nil }
        self = .null
        return items
    }
}
