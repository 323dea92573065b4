import DivanHTTP
import Testing

/// The text of an event stream.
@Suite struct HTTPEventTests {
    @Test func `an event contains its ID, name and each line of its data`() {
        let event = HTTPEvent(id: "7", name: "change", data: Array("a\nb".utf8))
        let text = String(decoding: event.bytes, as: UTF8.self)
        #expect(text == "id: 7\nevent: change\ndata: a\ndata: b\n\n")
    }

    @Test func `a line break in an event name cannot start a new field`() {
        let event = HTTPEvent(name: "a\ndata: evil", data: [])
        #expect(String(decoding: event.bytes, as: UTF8.self) == "event: adata: evil\ndata: \n\n")
    }
}
