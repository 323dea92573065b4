/// The media type of a file, guessed from its name.
enum ContentType {
    /// Returns the media type for a file's suffix, `application/octet-stream` for others.
    static func guessing(_ file: String) -> String {
        let suffix = file.split(separator: ".").last.map { $0.lowercased() }
        return suffix.flatMap { types[$0] } ?? "application/octet-stream"
    }

    private static let types = [
        "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif",
        "svg": "image/svg+xml", "pdf": "application/pdf", "txt": "text/plain",
        "json": "application/json", "mp3": "audio/mpeg", "mp4": "video/mp4",
    ]
}
