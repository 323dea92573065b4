import DivanTestKit
import Foundation
import Testing

/// `Docs/tour.md` and the picture of the README show what a person sees when typing this.
///
/// In order: the second examines the picture that the first may draw.
@Suite(.serialized, .timeLimit(.minutes(5))) struct TourTests {
    private static let page = "Docs/tour.md"
    private static let picture = "Docs/pictures/tour.svg"
    /// The most that an animated picture may add to a web page.
    private static let pictureByteLimit = 150_000

    /// Whether page and picture are to be written, not compared: `make tour`.
    private static let writes = ProcessInfo.processInfo.environment["DIVAN_TOUR"] == "write"

    private func committed(_ path: String) throws -> String {
        try String(contentsOf: Guide.root.appendingPathComponent(path), encoding: .utf8)
    }

    private func write(_ text: String, to path: String) throws {
        try Data(text.utf8).write(to: Guide.root.appendingPathComponent(path))
    }

    /// The steps that tell the story in a minute.
    private func film(of tour: Tour) -> TerminalFilm {
        var film = TerminalFilm(columnCount: 80, rowCount: 24)
        film.show(TypedShell.prompt)
        film.type("# divan serve travel runs in another terminal")
        film.show("\r\n" + TypedShell.prompt)
        for entry in tour.chapters.filter(\.step.isFilmed).flatMap(\.entries) {
            film.type(entry.line)
            film.show("\r\n" + entry.raw)
        }
        return film
    }

    /// The lines of a drawing, one below the other.
    private func lines(of drawing: String) throws -> String {
        try DrawingReader(drawing).strips.map(\.text).joined(separator: "\n")
    }

    @Test func `the tour page and picture match the real output`() throws {
        let tour = try Tour(in: try Shell())
        let page = TourPage(tour).text
        let film = film(of: tour)
        let picture = FilmDrawing(film, title: "divan: write, query, copy and sync").text
        if Self.writes {
            try write(page, to: Self.page)
            try write(picture, to: Self.picture)
        }
        #expect(TourPage.masked(try committed(Self.page)) == TourPage.masked(page))
        let shown = try lines(of: try committed(Self.picture))
        #expect(TourPage.masked(shown) == TourPage.masked(try lines(of: picture)))
        #expect(tour.chapters.count == 10)
        #expect(page.ranges(of: "\ndivan: ").count == 1, "but for the conflict nothing is amiss")
        #expect(film.duration < 75)
    }

    @Test func `the picture is small and has no external references`() throws {
        let picture = try committed(Self.picture)
        #expect(picture.utf8.count <= Self.pictureByteLimit)
        for way in ["<script", "href", "src=", "url(", "@import", "<foreignObject"] {
            #expect(!picture.contains(way), "\(way)")
        }
    }
}
