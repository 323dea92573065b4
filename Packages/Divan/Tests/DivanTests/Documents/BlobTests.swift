import Divan
import Foundation
import Synchronization
import Testing

/// Blobs in documents and models.
@Suite struct BlobTests {
    struct Photo: Codable, Identifiable, Sendable {
        var id: String
        var image: Blob
        var thumbnail: Data?
    }

    @Test("A blob is stored with its document, and read back")
    func documents() throws {
        let disk = try DiskDatabase()
        let album = try disk.database.collection("album")
        let content = Data("not really a picture".utf8)
        var doc = Document(id: "beach")
        doc.photo = Blob(content, type: "image/jpeg")
        #expect(try doc.photo?.blob?.data() == content)
        try album.save(doc)

        let read = try #require(try album.get("beach")?.photo?.blob)
        #expect(read.type == "image/jpeg")
        #expect(read.length == content.count)
        #expect(read.digest == doc.photo?.blob?.digest)
        #expect(try read.data() == content)
        #expect(try album.get("beach")?.photo?.kind == .blob)
        // The content stays while a document references it.
        try disk.database.compact()
        #expect(try read.data() == content)
        try album.purge("beach")
        try disk.database.compact()
        expect(.notFound) { _ = try read.data() }
    }

    @Test("A file becomes a blob, and a blob a file")
    func files() async throws {
        let disk = try DiskDatabase()
        let source = disk.url.appending(path: "in.bin")
        let target = disk.url.appending(path: "out.bin")
        let content = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
        try content.write(to: source)
        let blob = try await disk.database.blob(contentsOf: source, type: "video/mp4")
        try await disk.database.compact()
        try await disk.database.documents.save(Document(id: "film", ["film": blob.documentValue]))
        let read = try #require(try await disk.database.documents.get("film")?.film?.blob)
        // The second time, it replaces the file.
        for _ in 1...2 {
            try await read.write(to: target)
            #expect(try Data(contentsOf: target) == content)
        }
        expect(.notFound) { try read.write(to: disk.url.appending(path: "none/x")) }
        for blob in [read, Blob(content)] {
            let pieces = Mutex<[Data]>([])
            try await blob.forEachPiece { piece in pieces.withLock { $0.append(piece) } }
            #expect(pieces.withLock { $0.map(\.count) } == [65_536, 65_536, 65_536, 3_392])
            #expect(pieces.withLock { Data($0.joined()) } == content)
        }
        expect(.notFound) {
            _ = try disk.database.blob(contentsOf: disk.url.appending(path: "none"))
        }
    }

    @Test("Models have blobs, and data that is stored as one")
    func models() throws {
        let photos = try Database.inMemory().documents
        let photo = Photo(
            id: "1",
            image: Blob(Data([1, 2, 3]), type: "image/png"),
            thumbnail: Data([9])
        )
        try photos.save(photo)
        let read = try #require(try photos.get("1", as: Photo.self))
        #expect(try read.image.data() == Data([1, 2, 3]))
        #expect(read.image.type == "image/png")
        #expect(read.thumbnail == Data([9]))
        #expect(try photos.get("1")?.thumbnail?.kind == .blob)
        #expect(throws: DivanError.self) { try JSONEncoder().encode(read) }
    }

    @Test("Saving a document in another database copies its blobs")
    func copies() throws {
        let (one, two) = (try Database.inMemory(), try Database.inMemory())
        try one.documents.save(Document(id: "x", ["b": Blob(Data([7])).documentValue]))
        let doc = try #require(try one.documents.get("x"))
        try two.documents.save(doc)
        try one.close()
        #expect(try two.documents.get("x")?.b?.blob?.data() == Data([7]))
    }
}
