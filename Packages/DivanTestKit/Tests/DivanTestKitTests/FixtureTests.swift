import DivanTestKit
import Testing

/// Files are found from the test's own path, whatever the working directory.
@Suite struct FixtureTests {
    @Test
    func `a fixture is read as bytes, text or JSON`() throws {
        let text = try Fixture("sentence.txt").text()
        #expect(text == "A fixture of DivanTestKit's own tests.\n")
        #expect(try Fixture("sentence.txt").bytes() == Array(text.utf8))

        struct House: Decodable, Equatable {
            let name: String
            let floors: Int
        }
        let house = try Fixture("house.json").decoded(as: House.self)
        #expect(house == House(name: "Divan", floors: 7))
    }

    @Test
    func `the error for a missing fixture contains its path`() {
        let error = #expect(throws: Fixture.Failure.self) { try Fixture("none.json").bytes() }
        #expect(error?.description.contains("Tests/Fixtures/none.json") == true)
    }

    @Test
    func `a temporary directory is deleted with its contents`() throws {
        var directory: TemporaryDirectory? = try TemporaryDirectory()
        let path = try #require(directory?.path)
        let inner = try TemporaryDirectory()
        #expect(inner.path != path)
        #expect(directory?.names == [])
        #expect(directory?.file("a") == path + "/a")
        directory = nil
        let gone = Fixture.Failure.self
        #expect(throws: gone) { try Fixture("../../../../../../../../../.." + path).bytes() }
    }
}
