import Testing

/// The animated picture of a terminal.
@Suite struct FilmDrawingTests {
    private func film(_ rowCount: Int = 4) -> TerminalFilm {
        var film = TerminalFilm(columnCount: 12, rowCount: rowCount)
        film.show("$ ")
        film.type("ls a long line, which wraps")
        film.show("\r\nrome\r\n\u{1B}[1mgent\u{1B}[0m  x\r\n\u{1B}[32mok\u{1B}[0m\r\n$ ")
        film.type("cat <\"&amp;\">")
        film.show("\r\nloading…\r\u{1B}[2K  done\r\n$ ")
        return film
    }

    private func reader(_ film: TerminalFilm) throws -> DrawingReader {
        try DrawingReader(FilmDrawing(film, title: "a & b").text)
    }

    @Test(arguments: [2, 4, 20])
    func `the animation shows the terminal's content at every moment`(rowCount: Int) throws {
        let film = film(rowCount)
        let reader = try reader(film)
        #expect(abs(reader.duration - film.duration) < 0.01)
        for (index, frame) in film.frames.enumerated() {
            let end = index + 1 < film.frames.count ? film.frames[index + 1].time : film.duration
            // Within a frame: the ends are rounded.
            let moment = (frame.time + end) / 2
            let rows = reader.rows(at: moment, lineHeight: 19, cellWidth: 8.4)
            for (number, cells) in frame.rows.enumerated() {
                let seen = Array(rows[number] ?? "").map { Screen.Cell(character: $0) }
                #expect(seen.text == cells.text, "line \(number) at \(moment) s")
            }
        }
    }

    @Test func `without animation the last frame is shown`() throws {
        let film = film()
        let still = try reader(film).still.map(\.text)
        let last = try #require(film.frames.last)
        let lines = last.rows.map { String($0.text.drop { $0 == " " }) }
        #expect(still == lines.filter { !$0.isEmpty })
        #expect(still.contains("done"))
    }

    @Test func `a typed line is drawn once`() throws {
        let film = film(20)
        let strips = FilmStrip.strips(of: film)
        #expect(strips.filter { $0.cells.text.hasPrefix("$ ls a long") }.count == 1)
        #expect(strips.first?.growth.map(\.count) == [1] + Array(3...12))
        #expect(strips.allSatisfy { $0.begin < $0.end && $0.end <= film.duration })
    }

    @Test func `terminal styles are kept, and text is escaped`() throws {
        let reader = try reader(film(20))
        #expect(reader.strips.first { $0.text.hasPrefix("gent") }?.styles == ["b"])
        #expect(reader.strips.first { $0.text == "ok" }?.styles == ["c2"])
        #expect(reader.strips.contains { $0.text.contains("cat <\"&a") })
        #expect(reader.strips.contains { $0.text == ";\">" })
    }

    @Test func `the duration depends on the amount of text`() {
        var short = TerminalFilm(columnCount: 80, rowCount: 24)
        short.show("one\r\n")
        var long = TerminalFilm(columnCount: 80, rowCount: 24)
        long.show(String(repeating: "one\r\n", count: 10))
        #expect(long.duration > short.duration + 2)
        #expect(film().frames == film().frames)
    }
}
