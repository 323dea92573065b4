import CouchbaseLiteSwift
import Foundation
import Testing

/// `api-map.md` §4.4: reading and assigning through paths.
@Suite struct FragmentTests {
    private func makeDocument() -> MutableDocument {
        MutableDocument(data: [
            "name": ["first": "Ada"], "tags": ["a", ["deep": [1, 2]]] as [Any], "n": 7, "t": true,
        ])
    }

    @Test func `a path reads the value at that place`() {
        let document = makeDocument()
        #expect(document["name"]["first"].string == "Ada")
        #expect(document["tags"][0].string == "a")
        #expect(document["tags"][1]["deep"][1].int == 2)
        #expect(document["n"].int64 == 7)
        #expect(document["n"].double == 7)
        #expect(document["n"].float == 7)
        #expect(document["n"].number == 7)
        #expect(document["t"].boolean)
        #expect(document["tags"].array?.count == 2)
        #expect(document["name"].dictionary?.count == 1)
        #expect(document["name"].exists)
    }

    @Test func `a path that leads nowhere reads nil`() {
        let document = makeDocument()
        for fragment in [
            document["no"], document["no"]["way"][3], document["tags"][9], document["tags"][-1],
            document["n"]["x"], document["name"][0],
        ] {
            #expect(!fragment.exists)
            #expect(fragment.value == nil)
            #expect(fragment.string == nil)
            #expect(fragment.int == 0)
            #expect(!fragment.boolean)
            #expect(fragment.date == nil)
            #expect(fragment.blob == nil)
        }
    }

    @Test func `assigning through a path sets, replaces and nests values`() {
        let document = makeDocument()
        document["name"]["first"].string = "Grace"
        document["name"]["born"].int = 1_906
        document["new"].value = ["list": [1]]
        document["new"]["list"][0].double = 2.5
        document["tags"][0].boolean = false
        document["when"].date = Date(timeIntervalSince1970: 0)
        document["gone"].string = nil
        #expect(document["name"]["first"].string == "Grace")
        #expect(document["name"]["born"].int == 1_906)
        #expect(document["new"]["list"][0].double == 2.5)
        #expect(document["tags"][0].value as? Bool == false)
        #expect(document.string(forKey: "when") == "1970-01-01T00:00:00.000Z")
        #expect(document.value(forKey: "gone") is NSNull)
    }

    @Test func `assigning through a missing parent or beyond the end of an array is ignored`() {
        let document = MutableDocument()
        document["array"][0][0].value = 1
        document["dictionary"]["key"].int = 1
        #expect(document.count == 0)

        document["list"].value = [1]
        document["list"][1].int = 2
        document["list"][-1].int = 2
        #expect(document.array(forKey: "list")?.count == 1)
    }

    @Test func `assigned containers and blobs stay live objects`() {
        let document = MutableDocument()
        let array = MutableArrayObject(data: [1])
        let blob = Blob(contentType: "a/b", data: Data([1]))
        document["l"].array = array
        document["d"].dictionary = MutableDictionaryObject(data: ["k": 1])
        document["b"].blob = blob
        document["n"].number = 3
        document["f"].float = 0.5
        document["i"].int64 = 4
        array.addInt(2)
        #expect(document["l"][1].int == 2)
        #expect(document["d"]["k"].int == 1)
        #expect(document["b"].blob === blob)
        #expect(document["f"].float + Float(document["n"].int) == 3.5)
        #expect(document["i"].int == 4)
    }

    @Test func `code for any mutable fragment accepts fragments of documents`() {
        func fill(_ place: some MutableFragmentProtocol, with text: String) -> Bool {
            var place = place
            place.string = text
            return place.exists
        }
        let document = MutableDocument()
        #expect(fill(document["name"], with: "Ada") && document["name"].string == "Ada")
        func list(of place: some MutableFragmentProtocol) -> MutableArrayObject? { place.array }
        #expect(list(of: makeDocument()["tags"])?.count == 2)
    }

    @Test func `a path can start at a collection even if the document does not exist`() throws {
        let home = try TemporaryDatabase()
        let collection = try home.collection
        try collection.save(document: MutableDocument(id: "doc", data: ["a": ["b": 1]]))
        #expect(collection["doc"].exists)
        #expect(collection["doc"].document?.id == "doc")
        #expect(collection["doc"]["a"]["b"].int == 1)
        #expect(!collection["none"].exists)
        #expect(!collection["none"]["a"].exists)
        #expect(collection["none"].document == nil)
    }
}
