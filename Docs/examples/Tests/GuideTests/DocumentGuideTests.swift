import Divan
import DivanTestKit
import Foundation
import Testing

/// The functions of the guides to documents, models, blobs and queries do what these pages say.
@Suite struct DocumentGuideTests {
    private func collection(_ name: String = "things") throws -> DocumentCollection {
        try Database.inMemory().collection(name)
    }

    // MARK: Getting started

    @Test func `the database of the first guide is saved`() throws {
        let directory = URL(filePath: NSTemporaryDirectory() + "divan-guides-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        try keepMenu(in: directory)
        let menu = try Database.open("shop", in: directory).collection("menu")
        #expect(try menu.get("soup", as: Dish.self)?.price == 4.8)
    }

    @Test func `the first change is reported`() async throws {
        #expect(try await waitForOneChange(in: collection("menu")) == ["tea"])
    }

    // MARK: Models

    @Test func `a chore is saved and marked as done`() throws {
        let chores = try collection()
        try saveChore(in: chores)
        #expect(try chores.get("milk")?.json == #"{"isDone":true,"title":"Buy milk"}"#)
    }

    @Test func `chores are saved together, and those that are done are deleted`() throws {
        let chores = try collection()
        try chores.save(Chore(id: "tea", title: "Make tea", isDone: true))
        try replaceChores(in: chores)
        #expect(try chores.ids() == ["bread", "milk"])
    }

    @Test func `a chore that was changed meanwhile is not overwritten`() throws {
        let chores = try collection()
        try chores.save(Chore(id: "milk", title: "Buy milk"))
        var mine = try #require(try chores.get("milk"))
        try saveChore(in: chores)
        let error = #expect(throws: DivanError.self) {
            try rename(&mine, to: "Buy oat milk", in: chores)
        }
        #expect(error?.code == .conflict)
        mine = try #require(try chores.get("milk"))
        try rename(&mine, to: "Buy oat milk", in: chores)
        #expect(try chores.get("milk")?.json == #"{"isDone":true,"title":"Buy oat milk"}"#)
    }

    @Test func `a newer model reads older documents, and an older model keeps newer properties`()
        throws
    {
        let chores = try collection()
        try saveChore(in: chores)
        var dated = try #require(try chores.get("milk", as: DatedChore.self))
        #expect(dated.minutes == 15 && dated.dueDate == nil)
        dated.minutes = 5
        try chores.save(dated)

        var old = try #require(try chores.get("milk", as: Chore.self))
        old.title = "Buy oat milk"
        try chores.save(old)
        let again = try #require(try chores.get("milk", as: DatedChore.self))
        #expect(again.minutes == 5 && again.title == "Buy oat milk")
    }

    @Test func `a default value does not help to decode a document without the property`() throws {
        let chores = try collection()
        try chores.save(Document(id: "milk", ["title": "Buy milk"]))
        let error = #expect(throws: DivanError.self) {
            try chores.get("milk", as: Chore.self)
        }
        #expect(error?.code == .decodingFailed)
    }

    @Test func `a renamed property keeps its old key in documents`() throws {
        let chores = try collection()
        try saveChore(in: chores)
        try chores.update("milk", as: RenamedChore.self) { $0.summary = "Buy oat milk" }
        #expect(try chores.get("milk")?.keys.sorted() == ["isDone", "title"])
    }

    @Test func `identical migrations on two peers cause no conflict`() async throws {
        let (here, there) = (try collection("dishes"), try collection("dishes"))
        try await here.save(Document(id: "soup", ["price": 4.5]))
        try await here.save(Document(id: "tea", ["cents": 250]))
        let sync = Sync(
            here.database,
            with: there.database,
            resolver: .custom { conflict in
                Issue.record("conflict of \(conflict.documentID)")
                return conflict.remote
            }
        )
        try await sync.run()
        for dishes in [here, there] {
            try countInCents(dishes)
            try countInCents(dishes)
            #expect(try await dishes.get("soup")?.json == #"{"cents":450}"#)
        }
        let revision = try await here.get("soup")?.revision
        #expect(revision?.id.hasPrefix("2-") == true)
        #expect(try await there.get("soup")?.revision == revision)
        try await sync.run()
        #expect(try await here.get("soup")?.revision == revision)
    }

    @Test func `a migration converts the dishes and creates the index once`() throws {
        let dishes = try collection("dishes")
        try dishes.save(Document(id: "soup", ["price": 4.5]))
        try migrate(dishes.database)
        try dishes.save(Document(id: "tea", ["price": 2.5]))
        try migrate(dishes.database)
        #expect(try dishes.get("soup")?.json == #"{"cents":450}"#)
        #expect(try dishes.get("tea")?.json == #"{"price":2.5}"#)
        #expect(try dishes.indexes == ["byCents"])
    }

    // MARK: Blobs

    @Test func `a picture is saved and copied`() throws {
        let folder = try TemporaryDirectory()
        let file = URL(filePath: folder.file("rome.jpg"))
        let copy = URL(filePath: folder.file("copy.jpg"))
        let bytes = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7 >> 3) })
        try bytes.write(to: file)
        let photos = try collection("photos")
        try savePhoto(of: "rome", from: file, in: photos)
        let photo = try #require(try photos.get("rome"))
        #expect(photo.picture?.blob?.length == 100_000)
        #expect(photo.picture?.blob?.type == "image/jpeg")
        try copyPicture(of: photo, to: copy)
        #expect(try Data(contentsOf: copy) == bytes)
    }

    @Test func `the guide's models keep unknown cases and are removed`() throws {
        let inspections = try Database.inMemory().collection("inspections")
        let id = UUID()
        try inspections.save(Document(id: id, ["site": "mill", "status": "archived"]))
        try inspections.save(Inspection(id: UUID(), site: "dam"))
        #expect(try openInspections(in: inspections).map(\.site) == ["dam"])
        try inspections.update(id, as: Inspection.self) { $0.site = "old mill" }
        #expect(try inspections.get(id)?.status == "archived")
        let chores = try inspections.database.collection("chores")
        for name in ["milk", "bread"] { try chores.save(Chore(id: name, title: name)) }
        try tidyUp(chores)
        #expect(try chores.get("milk") == nil)
        #expect(try chores.expiration(of: "bread") != nil)
        try chores.update("bread", as: Chore.self) { $0.isDone = true }
        try tidyUp(chores)
        #expect(try chores.ids().isEmpty)
    }

    @Test func `a chore of another version is left out of the list`() throws {
        let chores = try collection()
        try saveChore(in: chores)
        try chores.save(Document(id: "bread", ["title": ["en": "Buy bread"]]))
        #expect(try titles(of: chores) == ["Buy milk"])
    }

    // MARK: Queries

    @Test func `the guide's queries return the expected rows`() async throws {
        let shop = try Database.inMemory(name: "shop")
        let collection = try await shop.collection("shop.chairs")
        try save(collection)
        try index(collection)
        #expect(try namesOfCheapChairs(in: shop, below: 130) == ["Oslo", "Porto"])
        #expect(try chairs(in: shop).map(\.id) == ["bern", "oslo", "porto"])
        #expect(try cheapSeats(collection) == ["Oslo"])
        #expect(try everyChair(collection) == ["bern", "oslo", "porto"])
        #expect(onlyOwn(collection, of: "ada").push?.name?.contains("owner = $user") == true)
        var counts: [Int] = []
        try await follow(collection) { rows in
            counts.append(rows.count)
            _ = try? collection.save(Chair(id: "graz", name: "Graz", price: 50))
            return counts.count < 2
        }
        #expect(counts == [1, 2])
        try await collection.save(
            Document(id: "riga", ["name": "Riga", "story": "You will love it."])
        )
        #expect(try happyChairs(collection) == ["Riga"])
    }

    @Test func `the guide's search finds what users enter`() throws {
        let chairs = try collection("chairs")
        try save(chairs)
        try index(chairs)
        #expect(try search(for: "Os", in: chairs) == ["Oslo"])
        #expect(try search(for: "(\"por", in: chairs) == ["Porto"])
        #expect(try search(for: "NOT", in: chairs).isEmpty)
    }

    @Test func `the guide's predicates use values from outside`() throws {
        let tables = try collection("tables")
        let (now, note) = (Date.now, "as good as new")
        for (id, wood, price) in [("a", Wood.oak, 90.0), ("b", .pine, 90), ("c", .oak, 200)] {
            try tables.save(Table(id: id, wood: wood, price: price, made: now, note: note))
        }
        try tables.save(Table(id: "d", wood: .oak, price: 1, made: .distantPast, note: note))
        try tables.save(Table(id: "e", wood: .oak, price: 1, made: now))
        #expect(try newOakTables(tables, days: 7, below: 100) == ["a"])
    }

    @Test func `the guide exports and deletes the documents of a query`() throws {
        let chairs = try collection("chairs")
        try save(chairs)
        let folder = try TemporaryDirectory()
        let file = URL(filePath: folder.file("cheap.jsonl"))
        #expect(try clearCheap(chairs, into: file) == 1)
        #expect(try String(contentsOf: file, encoding: .utf8).contains(#""_id":"porto""#))
        #expect(try chairs.ids() == ["bern", "oslo"])
    }

    @Test func `a note that gets another owner disappears at the previous one`() async throws {
        let notes = try collection("notes")
        let theirs = try collection("notes")
        try await notes.save(
            Document(id: "plan", ["owner": "ada", "kind": "note", "text": "Plan"])
        )
        let own = onlyOwn(notes, of: "ada")
        let sync = Sync(notes.database, with: theirs.database, collections: [own])
        try await sync.run()
        #expect(try await theirs.ids() == ["plan"])
        try hand("plan", to: "bob", in: notes)
        try await sync.run()
        #expect(try await theirs.ids().isEmpty)
        let copy = try #require(try await notes.documents(of: Document.self).first())
        #expect(copy.owner?.string == "bob" && copy.text?.string == "Plan")
    }

    @Test func `the guide's lazy index finds the documents with similar texts`() async throws {
        let folder = try TemporaryDirectory()
        let url = URL(filePath: folder.path, directoryHint: .isDirectory)
        let collection = try await Database.open("shop", in: url).collection("shop.chairs")
        for (id, story) in [("oslo", "wood"), ("riga", "stone")] {
            try await collection.save(
                Document(id: id, ["name": id, "price": 1, "seats": 1, "story": story])
            )
        }
        let found = try similar(to: "stones", in: collection) { texts in
            texts.map { text in (0..<384).map { $0 < text.utf8.count ? 1 : 0 } }
        }
        #expect(found.map(\.id) == ["riga", "oslo"])
    }
}
