import DivanCharts
import Foundation
import Testing

#if canImport(FoundationXML)
import FoundationXML
#endif

/// The pictures are XML that a browser accepts, show what they were given, and have colours for light and
/// dark pages.
@Suite struct ChartTests {
    /// What an XML parser finds.
    private final class Reader: NSObject, XMLParserDelegate {
        var counts: [String: Int] = [:]
        var words = ""
        var attributes: [[String: String]] = []

        init(_ source: String) throws {
            super.init()
            let parser = XMLParser(data: Data(source.utf8))
            parser.delegate = self
            guard parser.parse() else {
                throw parser.parserError ?? CocoaError(.coderReadCorrupt)
            }
        }

        func parser(
            _ parser: XMLParser,
            didStartElement name: String,
            namespaceURI: String?,
            qualifiedName: String?,
            attributes: [String: String]
        ) {
            counts[name, default: 0] += 1
            self.attributes.append(attributes)
        }

        func parser(_ parser: XMLParser, foundCharacters characters: String) {
            words += characters
        }
    }

    private func bars(_ bars: [RatioBars.Bar]) -> String {
        RatioBars(title: "T", remark: "R", unity: "equal", bars: bars).source
    }

    @Test func `a bar chart is well-formed and shows each name, ratio and remark`() throws {
        let source = bars([
            .init(name: "pull", ratio: 2.25, remark: "60,000 and 26,000/s"),
            .init(name: "read <one> & \"all\"", ratio: 0.5, remark: "\u{1}"),
        ])
        let reader = try Reader(source)
        #expect(reader.counts["rect"] == 2)
        for word in ["T", "R", "equal", "pull", "2.25", "read <one> & \"all\"", "0.50"] {
            #expect(reader.words.contains(word), "\(word)")
        }
        #expect(reader.attributes.contains { $0["class"] == "behind" && $0["width"] != nil })
    }

    @Test(arguments: [(0.9, 0), (0.96, 1), (nil, 0)] as [(Double?, Int)])
    func `a bar below the minimum has its own colour`(least: Double?, count: Int) throws {
        let bar = RatioBars.Bar(name: "a", ratio: 0.95, remark: "")
        let source = RatioBars(title: "", remark: "", unity: "", least: least, bars: [bar]).source
        let behind = try Reader(source).attributes.filter { $0["class"] == "behind" }
        #expect(behind.count == count)
    }

    @Test func `the length of a bar is proportional to its ratio`() throws {
        let source = bars([
            .init(name: "a", ratio: 1, remark: ""), .init(name: "b", ratio: 2, remark: ""),
        ])
        let widths = try Reader(source).attributes.filter { $0["rx"] != nil }.compactMap {
            $0["width"].flatMap(Double.init)
        }
        #expect(widths.count == 2)
        #expect(abs(widths[1] / widths[0] - 2) < 0.01)
    }

    @Test(arguments: [Double.nan, .infinity, -1, 0, 1e300])
    func `an invalid ratio does not break the chart`(ratio: Double) throws {
        let source = bars([.init(name: "odd", ratio: ratio, remark: "")])
        #expect(try Reader(source).counts["rect"] == 1)
        #expect(!source.contains("nan") && !source.contains("inf\""))
    }

    @Test func `a line chart is well-formed and scaled to its values`() throws {
        let source = Curves(
            title: "growth",
            remark: "",
            axis: "documents",
            isLogarithmic: true,
            curves: [
                .init(name: "save", points: [(1e4, 50), (1e5, 100), (1e6, 100)]),
                .init(name: "empty", points: []),
                .init(name: "odd", points: [(1e4, .nan), (1e5, 25)]),
            ]
        ).source
        let reader = try Reader(source)
        for word in ["growth", "documents", "save", "odd", "10,000", "1 M"] {
            #expect(reader.words.contains(word), "\(word)")
        }
        #expect(!reader.words.contains("empty"))
        let heights = reader.attributes.filter { $0["r"] != nil }.compactMap {
            $0["cy"].flatMap(Double.init)
        }
        #expect(heights.count == 4)
        #expect(heights[1] == heights[2] && heights[0] > heights[1] && heights[3] > heights[0])
    }

    @Test func `a chart has colours for light and dark pages`() throws {
        let source = bars([.init(name: "a", ratio: 1, remark: "")])
        let parts = source.components(separatedBy: "@media (prefers-color-scheme: dark)")
        #expect(parts.count == 2)
        for role in ["strong", "plain", "faint", "ours", "behind"] {
            let light = try #require(parts[0].range(of: ".\(role) { fill: "))
            let dark = try #require(parts[1].range(of: ".\(role) { fill: "))
            #expect(
                parts[0][light.upperBound...].prefix(7) != parts[1][dark.upperBound...].prefix(7)
            )
        }
    }

    @Test func `an empty chart is valid`() throws {
        #expect(try Reader(bars([])).counts["svg"] == 1)
        let curves = Curves(title: "", remark: "", axis: "", curves: []).source
        #expect(try Reader(curves).counts["svg"] == 1)
    }
}
