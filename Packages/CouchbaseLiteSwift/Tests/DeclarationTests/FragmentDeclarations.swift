import CouchbaseLiteSwift
import Foundation
import Testing

/// `api-map.md` §4.4.
@Suite struct FragmentDeclarations {
    private let place: Place

    init() throws {
        place = try Place()
    }

    @Test func `Fragment can be read as its official types`() {
        let _: KeyPath<Fragment, Any?> = \.value
        let _: KeyPath<Fragment, String?> = \.string
        let _: KeyPath<Fragment, NSNumber?> = \.number
        let _: KeyPath<Fragment, Int> = \.int
        let _: KeyPath<Fragment, Int64> = \.int64
        let _: KeyPath<Fragment, Float> = \.float
        let _: KeyPath<Fragment, Double> = \.double
        let _: KeyPath<Fragment, Bool> = \.boolean
        let _: KeyPath<Fragment, Date?> = \.date
        let _: KeyPath<Fragment, Blob?> = \.blob
        let _: KeyPath<Fragment, ArrayObject?> = \.array
        let _: KeyPath<Fragment, DictionaryObject?> = \.dictionary
        let _: KeyPath<Fragment, Bool> = \.exists
        let _: (Fragment) -> (Fragment, Fragment) = { ($0[0], $0["k"]) }
        func accept<T: FragmentProtocol & ArrayFragment & DictionaryFragment>(_: T.Type) -> Bool {
            true
        }
        #expect(accept(Fragment.self) && accept(MutableFragment.self))
    }

    @Test func `MutableFragment can be set with its official types`() {
        let _: ReferenceWritableKeyPath<MutableFragment, Any?> = \.value
        let _: ReferenceWritableKeyPath<MutableFragment, String?> = \.string
        let _: ReferenceWritableKeyPath<MutableFragment, NSNumber?> = \.number
        let _: ReferenceWritableKeyPath<MutableFragment, Int> = \.int
        let _: ReferenceWritableKeyPath<MutableFragment, Int64> = \.int64
        let _: ReferenceWritableKeyPath<MutableFragment, Float> = \.float
        let _: ReferenceWritableKeyPath<MutableFragment, Double> = \.double
        let _: ReferenceWritableKeyPath<MutableFragment, Bool> = \.boolean
        let _: ReferenceWritableKeyPath<MutableFragment, Date?> = \.date
        let _: ReferenceWritableKeyPath<MutableFragment, Blob?> = \.blob
        let _: ReferenceWritableKeyPath<MutableFragment, MutableArrayObject?> = \.array
        let _: ReferenceWritableKeyPath<MutableFragment, MutableDictionaryObject?> = \.dictionary
        let _: (MutableFragment) -> (MutableFragment, MutableFragment) = { ($0[0], $0["k"]) }
    }

    @Test func `each setter stores its value`() {
        let document = MutableDocument()
        let blob = Blob(contentType: "a/b", data: Data([1]))
        let date = Date(timeIntervalSince1970: 5)
        document["value"].value = ["k": [1]]
        document["string"].string = "s"
        document["number"].number = 3
        document["int"].int = 4
        document["int64"].int64 = .min
        document["float"].float = 0.5
        document["double"].double = 0.1
        document["boolean"].boolean = true
        document["date"].date = date
        document["blob"].blob = blob
        document["array"].array = MutableArrayObject(data: [1])
        document["dictionary"].dictionary = MutableDictionaryObject(data: ["k": "v"])
        document["null"].string = nil
        #expect(document["value"]["k"][0].int == 1)
        #expect(document["string"].string == "s" && document["number"].number == 3)
        #expect(document["int"].int == 4 && document["int64"].int64 == .min)
        #expect(document["float"].float == 0.5 && document["double"].double == 0.1)
        #expect(document["boolean"].boolean && document["date"].date == date)
        #expect(document["blob"].blob == blob)
        #expect(document["array"].array?.count == 1)
        #expect(document["dictionary"].dictionary?.string(forKey: "k") == "v")
        #expect(document["null"].exists && document["null"].value is NSNull)
    }

    @Test func `assigning through a missing parent is ignored`() {
        let document = MutableDocument(data: ["a": [1], "d": [String: Any]()])
        document["array"][0][0].value = 1
        document["absent"]["key"].string = "x"
        document["a"][1].int = 2
        document["a"]["key"].int = 2
        document["d"][0].int = 2
        #expect(document.keys.sorted() == ["a", "d"])
        #expect(document["a"].array?.count == 1)
        document["d"]["new"].int = 3
        #expect(document["d"]["new"].int == 3)
        #expect(!document["array"].exists && document["array"][0][0].value == nil)
    }

    @Test func `DocumentFragment has its official members`() throws {
        let _: KeyPath<DocumentFragment, Bool> = \.exists
        let _: KeyPath<DocumentFragment, Document?> = \.document
        let collection = try place.open().defaultCollection()
        try collection.save(document: MutableDocument(id: "d", data: ["k": [1, 2]]))
        let fragment: DocumentFragment = collection["d"]
        #expect(fragment.exists && fragment.document?.id == "d")
        #expect(fragment["k"][1].int == 2)
        #expect(!collection["none"].exists && collection["none"].document == nil)
        #expect(collection["none"]["k"][1].value == nil)
    }
}
