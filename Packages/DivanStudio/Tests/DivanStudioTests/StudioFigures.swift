import DivanTestKit
import Foundation
import Testing

/// What a page of the studio costs in a browser, and the table of the README with these figures.
///
/// `DIVAN_STUDIO_FIGURES=write` writes the table; otherwise the figures that do not depend on the machine must match
/// it.
struct StudioFigures {
    /// Requests for a page, without the stream of changes.
    let requestCount: Int
    let byteCount: Int
    /// Milliseconds until the first pixels, and until the rows are shown.
    let firstPaint: Double
    let rows: Double
    /// Milliseconds for the data of fifty documents, and its bytes.
    let pageTime: Double
    let pageByteCount: Int

    private static let heading = "| what | figure |\n|---|---|\n"

    private var table: [String] {
        [
            "| requests for a page, the stream of changes not counted | \(requestCount) |",
            "| bytes of a page | \(kilobytes(byteCount)) KB |",
            "| first paint | \(whole(firstPaint)) ms |",
            "| all rows of the page shown | \(whole(rows)) ms |",
            "| the data of 50 documents in the middle of the collection | \(whole(pageTime)) ms, "
                + "\(kilobytes(pageByteCount)) KB |",
        ]
    }

    private func whole(_ number: Double) -> Int { Int(number.rounded()) }
    private func kilobytes(_ count: Int) -> Int { (count + 500) / 1000 }

    /// Writes the README's table, or compares with it.
    func settle() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../..").standardizedFileURL
        let file = root.appending(path: "Packages/DivanStudio/README.md")
        let page = try String(contentsOf: file, encoding: .utf8)
        let begin = try #require(page.range(of: Self.heading)).upperBound
        let end = try #require(page.range(of: "\n\n", range: begin..<page.endIndex)).lowerBound
        let written = page[begin..<end].split(separator: "\n").map(String.init)
        if ProcessInfo.processInfo.environment["DIVAN_STUDIO_FIGURES"] == "write" {
            let text = page[..<begin] + table.joined(separator: "\n") + page[end...]
            return try Data(text.utf8).write(to: file)
        }
        try #require(written.count == table.count)
        // Times depend on the machine that wrote them; the tab's icon may be requested late.
        let requests = written[0].split(separator: " ").compactMap { Int($0) }.last ?? 0
        #expect(abs(requests - requestCount) <= 1, "\(requestCount) requests")
        for (line, count) in [(written[1], byteCount), (written[4], pageByteCount)] {
            let said = line.split(separator: " ").compactMap { Int($0) }.last ?? 0
            #expect(abs(said * 1000 - count) < 2000 + count / 20, "\(line) is \(count) bytes now")
        }
    }
}
