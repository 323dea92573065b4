import DivanJSON
import DivanStore

/// The `_attachments` object that Sync Gateway wants beside the blobs of a document.
///
/// Source: `blobs.md` §5.
enum LegacyAttachments {
    static let key = "_attachments"
    private static let prefix = "blob_"

    /// Bytes of pointers in one document's entries; those beyond have a number for a name.
    ///
    /// A long key over many blobs stands in the name of each, so names alone could fill memory.
    private static let namesByteCount = 1 << 20

    /// Adds an entry for each blob of a body that is about to be sent.
    ///
    /// Stored entries that do not stand for blobs stay; those that do are written anew.
    static func add(to document: JSONObject, generation: UInt64) -> JSONObject {
        var attachments: [JSONObject.Member] = []
        for (name, value) in document[key]?.object ?? JSONObject() where !name.hasPrefix(prefix) {
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

    /// Removes entries that stand for blobs from a received body, after taking over what another
    /// client changed through them.
    ///
    /// The document is changed where it stands: a copy for each entry would cost their product.
    static func resolve(in document: inout JSONObject) {
        guard let attachments = document[key]?.object else { return }
        var kept: [JSONObject.Member] = []
        for (name, value) in attachments {
            guard name.hasPrefix(prefix) else {
                kept.append((name, value))
                continue
            }
            let place = name.dropFirst(prefix.count)
            if !place.isEmpty, place.utf8.allSatisfy({ (0x30...0x39).contains($0) }) { continue }
            let path = place.split(separator: "/", omittingEmptySubsequences: false)
                .dropFirst().map(unescaped)
            guard place.hasPrefix("/"), let entry = value.object,
                update(&document, at: path[...], from: entry)
            else {
                kept.append((name, value))
                continue
            }
        }
        document[key] = kept.isEmpty ? nil : .object(JSONObject(kept))
    }

    /// Follows the path to a blob dictionary and gives it the entry's content, if that differs;
    /// false when there is no blob dictionary.
    private static func update(
        _ object: inout JSONObject,
        at path: ArraySlice<String>,
        from entry: JSONObject
    ) -> Bool {
        guard let step = path.first else { return updateBlob(&object, from: entry) }
        let rest = path.dropFirst()
        return object.withValue(of: step) { update(&$0, at: rest, from: entry) } ?? false
    }

    private static func update(
        _ value: inout JSON,
        at path: ArraySlice<String>,
        from entry: JSONObject
    ) -> Bool {
        if var object = takeObject(&value) {
            defer { value = .object(object) }
            return update(&object, at: path, from: entry)
        }
        if var items = takeArray(&value) {
            defer { value = .array(items) }
            guard let step = path.first, let index = Int(step), items.indices.contains(index) else {
                return false
            }
            return update(&items[index], at: path.dropFirst(), from: entry)
        }
        return false
    }

    // A container is taken out while it is changed, by functions of their own: as long as anything else
    // holds it, be it for a moment, each change would copy it whole.

    private static func takeObject(_ value: inout JSON) -> JSONObject? {
        guard case .object(let object) = value else { return nil }
        value = .null
        return object
    }

    private static func takeArray(_ value: inout JSON) -> [JSON]? {
        guard case .array(let items) = value else { return nil }
        value = .null
        return items
    }

    private static func updateBlob(_ blob: inout JSONObject, from entry: JSONObject) -> Bool {
        guard blob["@type"]?.string == "blob" else { return false }
        guard let digest = entry["digest"]?.string, digest != blob["digest"]?.string else {
            return true
        }
        for key in blob.keys where key != "@type" {
            if let changed = entry[key] { blob[key] = changed }
        }
        for key in ["length", "content_type"] where entry[key] == nil { blob[key] = nil }
        blob["digest"] = .string(digest)
        return true
    }

    private static func unescaped(_ step: Substring) -> String {
        guard step.utf8.contains(UInt8(ascii: "~")) else { return String(step) }
        var text: [UInt8] = []
        var isEscaped = false
        for byte in step.utf8 {
            if isEscaped {
                text.append(byte == UInt8(ascii: "1") ? UInt8(ascii: "/") : UInt8(ascii: "~"))
                isEscaped = false
            } else if byte == UInt8(ascii: "~") {
                isEscaped = true
            } else {
                text.append(byte)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
