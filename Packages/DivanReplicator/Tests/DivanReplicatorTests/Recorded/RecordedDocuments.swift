import DivanRevisions
import DivanStore
import Testing

/// The initial documents of LiteCore's recordings, with the revision IDs created by LiteCore.
enum RecordedDocuments {
    private static let biography = String(
        repeating: "She wrote the first published program for a machine that was never built. ",
        count: 5
    ).dropLast()

    /// A database with all of them, and blobs as in the recording.
    static func site(_ transcript: Transcript) throws -> Site {
        let site = try Site()
        try site.save("doc-a", #"{"type":"note","text":"first","n":1}"#)
        try site.put("doc-b", ["1-ba79a5c6e66d9a5d7b560012505132feb817dbde"], #"{"visits":1}"#)
        try save(2, in: site)
        // Deleted content is not in the recording, but its revision ID is.
        let messages = transcript.connections[0].messages
        let first = messages.first { $0["id"] == "doc-gone" }?["history"]
        try site.put("doc-gone", [first ?? "1-0e99c4b25707fdb27ed2d5360bb3ca9fc9d04bd4"], "{}")
        try site.delete("doc-gone")
        for (name, type) in [("doc-blob", "image/jpeg"), ("doc-textblob", "text/plain")] {
            let content = try #require(blob(of: name, in: transcript))
            let digest = try site.store.blobs.write(content)
            try site.save(
                DocumentID(unchecked: name),
                body(digest, content.count, type),
                hasBlobs: true
            )
        }
        return site
    }

    static func body(_ digest: BlobDigest, _ byteCount: Int, _ type: String) -> String {
        #"{"photo":{"@type":"blob","content_type":"\#(type)","digest":"\#(digest)","#
            + #""length":\#(byteCount)},"type":"withblob"}"#
    }

    static func save(_ visits: Int, in site: Site) throws {
        let body = #"{"type":"person","name":"Ada","bio":"\#(biography)","visits":\#(visits)}"#
        try site.save("doc-b", body)
    }

    static func blob(of documentID: String, in transcript: Transcript) -> [UInt8]? {
        let messages = transcript.connections[0].messages
        let request = messages.first { $0["docID"] == documentID }
        return request.flatMap { request in
            messages.first {
                $0.type == "RES" && $0.number == request.number
                    && $0.isFromClient != request.isFromClient
            }
        }?.body
    }
}
