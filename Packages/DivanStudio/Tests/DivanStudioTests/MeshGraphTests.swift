import DivanJSON
import DivanStudio
import Foundation
import Testing

#if canImport(FoundationXML)
import FoundationXML
#endif

/// The graph of a mesh, and its picture.
@Suite struct MeshGraphTests {
    private func graph(_ status: JSON) throws -> MeshGraph {
        try #require(status.object.flatMap { MeshGraph(status: $0) })
    }

    /// Each link as `first-second reason`.
    private func links(_ graph: MeshGraph) -> [String] {
        graph.links.map { link in
            let ends =
                "\(graph.peers[link.ends.first].label)-\(graph.peers[link.ends.second].label)"
            return "\(ends) \(link.reasonText)"
        }
    }

    @Test func `peers are in the order of the ring, and equal names get the beginning of the ID`()
        throws
    {
        let graph = try graph(MeshFigures.kitchen())
        #expect(
            graph.peers.map(\.label)
                == ["kitchen", "303030303030", "hall 505050", "909090909090", "hall d0d0d0"]
        )
        #expect(graph.peers[0].details == ["this peer"])
        #expect(graph.peers[1].details == ["offline", "different revision scheme"])
        #expect(graph.summary == "4 of 5 peers online, 4 links")
    }

    @Test func `links of other peers follow from what they announce, with the planned reason`()
        throws
    {
        let graph = try graph(MeshFigures.kitchen())
        // An offline peer's list does not count, nor does a link to it.
        #expect(
            links(graph) == [
                "kitchen-hall 505050 ring", "kitchen-hall d0d0d0 surplus",
                "hall 505050-909090909090 ring", "909090909090-hall d0d0d0 ring",
            ]
        )
        #expect(graph.links[0].traffic?.figures == ["12 documents/s", "40 pending"])
        #expect(graph.links[2].traffic == nil)
    }

    @Test func `invalid IDs and other processes are ignored`() throws {
        #expect(MeshGraph(status: ["verb": "serve", "peerID": "00"]) == nil)
        #expect(MeshGraph(status: ["verb": "mesh", "peerID": "00"]) == nil)
        var status = try #require(MeshFigures.kitchen().object)
        status["peers"] = [["peerID": "xyz"], "text", ["peerID": .string(MeshFigures.id(0x10))]]
        let graph = try #require(MeshGraph(status: status))
        #expect(graph.peers.count == 1 && graph.links.isEmpty)
        #expect(graph.summary == "1 of 1 peer online, 0 links")
    }

    @Test func `a graph has at most 200 peers, and counts the others`() throws {
        let graph = try graph(MeshFigures.large(peerCount: 300))
        #expect(graph.peers.count == MeshGraph.peerLimit)
        #expect(graph.omittedPeerCount == 300 - MeshGraph.peerLimit)
        #expect(graph.links.allSatisfy { graph.peers.indices.contains($0.ends.second) })
    }

    @Test func `the picture has a title, a description and a mark for each peer`() throws {
        let picture = try DrawnPicture(MeshPicture(graph(MeshFigures.kitchen())).svg)
        #expect(picture.title == "Mesh home: 4 of 5 peers online, 4 links")
        #expect(
            picture.summary
                == "kitchen is linked to hall 505050 (ring), hall d0d0d0 (surplus)."
        )
        // The legend has a line for each of six reasons, and three marks.
        #expect(picture.classes["line"]?.count == 4 + 6)
        #expect(picture.classes["circle"]?.count == 5 + 3)
        #expect(picture.classes["circle"]?.filter { $0 == "own" }.count == 2)
        #expect(picture.classes["circle"]?.filter { $0 == "offline" }.count == 2)
        #expect(picture.classes["line"]?.prefix(4) == ["ring", "surplus", "ring", "ring"])
        #expect(picture.labels.map(\.text).contains("hall 505050 12 documents/s, 40 pending"))
    }

    @Test(arguments: [1, 2, 3, 50, 200])
    func `no labels overlap, and all are within the picture`(peerCount: Int) throws {
        let graph = try graph(MeshFigures.large(peerCount: peerCount))
        let picture = try DrawnPicture(MeshPicture(graph).svg)
        let labels = picture.labels
        #expect(labels.count == peerCount)
        for (index, label) in labels.enumerated() {
            #expect(label.left >= 0 && label.right <= picture.width, "\(label)")
            let overlapping = labels[..<index].filter { other in
                abs(other.y - label.y) < 12 && other.left < label.right && label.left < other.right
            }
            #expect(overlapping.isEmpty, "\(label): \(overlapping)")
        }
    }
}

/// The parts of a picture that an XML parser finds.
private final class DrawnPicture: NSObject, XMLParserDelegate {
    struct Label {
        var x: Double
        var y: Double
        var isLeft: Bool
        var text = ""

        /// The advance of a character of 12 pixels in common monospaced fonts.
        private var width: Double { Double(text.count) * 7.3 }
        var left: Double { isLeft ? x - width : x }
        var right: Double { isLeft ? x : x + width }
    }

    private(set) var classes: [String: [String]] = [:]
    private(set) var labels: [Label] = []
    private(set) var title = ""
    private(set) var summary = ""
    private(set) var width = 0.0
    private var open: [(name: String, attributes: [String: String])] = []

    init(_ source: String) throws {
        super.init()
        let parser = XMLParser(data: Data(source.utf8))
        parser.delegate = self
        guard parser.parse() else { throw parser.parserError ?? CocoaError(.coderReadCorrupt) }
    }

    func parser(
        _ parser: XMLParser,
        didStartElement name: String,
        namespaceURI: String?,
        qualifiedName: String?,
        attributes: [String: String]
    ) {
        open.append((name, attributes))
        classes[name, default: []].append(attributes["class"] ?? "")
        func number(_ key: String) -> Double { attributes[key].flatMap { Double($0) } ?? -1 }
        if name == "svg" { width = number("width") }
        guard name == "text", attributes["class"] == "label" else { return }
        let isLeft = attributes["text-anchor"] == "end"
        labels.append(Label(x: number("x"), y: number("y"), isLeft: isLeft))
    }

    func parser(
        _ parser: XMLParser,
        didEndElement name: String,
        namespaceURI: String?,
        qualifiedName: String?
    ) {
        open.removeLast()
    }

    func parser(_ parser: XMLParser, foundCharacters characters: String) {
        switch open.last?.attributes["id"] {
        case "title": title += characters
        case "description": summary += characters
        default:
            guard open.contains(where: { $0.attributes["class"] == "label" }) else { return }
            labels[labels.count - 1].text += characters
        }
    }
}
