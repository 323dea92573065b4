import DivanJSON
import DivanStore

/// The `_attachments` object that Sync Gateway wants beside the blobs of a document.
///
/// Source: `blobs.md` §5.
enum LegacyAttachments {
    static let key = "_attachments"
    private static let prefix = "blob_"

    /// Adds an entry for each blob of a body that is about to be sent.
    ///
    /// Stored entries that do not stand for blobs stay; those that do are written anew.
    static func add(to document: JSONObject, generation: UInt64) -> JSONObject {
        var attachments = JSONObject()
        for (name, value) in document[key]?.object ?? JSONObject() where !name.hasPrefix(prefix) {
            attachments[name] = value
        }
        var body = document
        body[key] = nil
        for blob in BlobReferences.all(in: body) {
            var entry = blob.members
            entry["@type"] = nil
            entry["stub"] = true
            entry["revpos"] = JSON(generation)
            attachments[prefix + blob.pointer] = .object(entry)
        }
        if !attachments.isEmpty { body[key] = .object(attachments) }
        return body
    }

    /// Removes entries that stand for blobs from a received body, after taking over what another
    /// client changed through them.
    static func resolve(in document: inout JSONObject) {
        guard let attachments = document[key]?.object else { return }
        var kept = JSONObject()
        for (name, value) in attachments {
            guard name.hasPrefix(prefix) else {
                kept[name] = value
                continue
            }
            let place = name.dropFirst(prefix.count)
            if !place.isEmpty, place.utf8.allSatisfy({ (0x30...0x39).contains($0) }) { continue }
            let path = place.split(separator: "/", omittingEmptySubsequences: false)
                .dropFirst().map(unescaped)
            guard place.hasPrefix("/"), let entry = value.object,
                let updated = update(.object(document), at: path[...], from: entry)?.object
            else {
                kept[name] = value
                continue
            }
            document = updated
        }
        document[key] = kept.isEmpty ? nil : .object(kept)
    }

    /// Follows the path to a blob dictionary and gives it the entry's content, if that differs;
    /// `nil` when there is no blob dictionary.
    private static func update(
        _ value: JSON,
        at path: ArraySlice<String>,
        from entry: JSONObject
    ) -> JSON? {
        guard let step = path.first else { return updatedBlob(value, from: entry) }
        switch value {
        case .object(var object):
            guard let child = object[step],
                let updated = update(child, at: path.dropFirst(), from: entry)
            else { return nil }
            object[step] = updated
            return .object(object)
        case .array(var items):
            guard let index = Int(step), items.indices.contains(index),
                let updated = update(items[index], at: path.dropFirst(), from: entry)
            else { return nil }
            items[index] = updated
            return .array(items)
        default:
            return nil
        }
    }

    private static func updatedBlob(_ value: JSON, from entry: JSONObject) -> JSON? {
        guard var blob = value.object, blob["@type"]?.string == "blob" else { return nil }
        guard let digest = entry["digest"]?.string, digest != blob["digest"]?.string else {
            return value
        }
        for (key, _) in blob where key != "@type" {
            if let changed = entry[key] { blob[key] = changed }
        }
        for key in ["length", "content_type"] where entry[key] == nil { blob[key] = nil }
        blob["digest"] = .string(digest)
        return .object(blob)
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
