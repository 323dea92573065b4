import DivanCrypto
import DivanTestKit
import Foundation

/// The folder of the pictures, and what each of them shows.
///
/// A browser draws the same page slightly differently each time, and fonts differ between machines,
/// so pictures are not compared. `studio.txt` has the digest of what each one shows, the elements of the
/// page and the style sheet, and a picture is redrawn when that has changed.
struct ScreenshotFolder {
    /// A picture could not be drawn.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let folder: URL
    private var list: URL { folder.appending(path: "studio.txt") }

    init(_ folder: String) {
        self.folder = URL(filePath: folder)
    }

    /// Draws what has changed; returns a line for each picture.
    func draw(_ sample: SampleStudio, in browser: Browser) throws -> [String] {
        let known = (try? String(contentsOf: list, encoding: .utf8)) ?? ""
        try show(sample.address, in: browser)
        var (lines, entries) = ([String](), [String]())
        for sight in Screenshot.all {
            try browser.shape(width: sight.width, height: sight.height, dark: sight.isDark)
            try show(sample.origin + sight.path, in: browser)
            if sight.path.hasPrefix("/query") { try ask(in: browser) }
            let entry = "\(sight.name) \(try digest(of: sight, sample, in: browser))"
            let file = folder.appending(path: "\(sight.name).png")
            let isKnown = known.split(separator: "\n").contains { $0 == entry }
            entries.append(entry)
            if isKnown, FileManager.default.fileExists(atPath: file.path) {
                lines.append("\(sight.name): unchanged")
                continue
            }
            let picture = try browser.picture()
            guard picture.starts(with: [0x89, 0x50, 0x4E, 0x47]) else {
                throw Failure(description: "\(sight.name): Chromium returned no picture")
            }
            try picture.write(to: file)
            lines.append("\(sight.name): drawn")
        }
        let complaints = try browser.complaints()
        guard complaints.isEmpty else {
            throw Failure(description: "errors on the page: \(complaints.joined(separator: "; "))")
        }
        let text = entries.joined(separator: "\n") + "\n"
        if text != known { try Data(text.utf8).write(to: list) }
        return lines
    }

    /// Opens a page, and waits until it shows its content, receives changes, and has got the database's name.
    private func show(_ address: String, in browser: Browser) throws {
        try browser.open(
            address,
            until: """
                document.getElementById('main')?.dataset.shown
                  && document.getElementById('live').className === 'on'
                  && document.getElementById('database').textContent === '\(SampleStudio.name)'
                """
        )
    }

    /// Runs the page's query again: the first answer opens the database's files and caches.
    private func ask(in browser: Browser) throws {
        let answered = "document.querySelector('#plan')"
        try browser.wait(answered)
        for _ in 0..<3 {
            // The click removes the old answer before it returns.
            try browser.click("button.main")
            try browser.wait(answered)
        }
    }

    /// The digest of what a page shows, without the time of a query and the port, which differ each time.
    private func digest(
        of sight: Screenshot,
        _ sample: SampleStudio,
        in browser: Browser
    ) throws -> String {
        let style = "fetch('/studio.css').then((answer) => answer.text())"
        let elements = try browser.evaluate("document.body.outerHTML").text
            .replacing(sample.origin, with: "")
            .replacing(#/ in \d+ ms/#, with: "")
        let text = "\(sight)\n\(elements)\n\(try browser.evaluate(style).text)"
        let bytes = Array(text.utf8)
        let digest = SHA256.digest(of: bytes.span)
        return Hex.encode(digest.span)
    }
}
