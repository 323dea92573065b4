import DivanStatus
import Testing

/// The text format of Prometheus.
@Suite struct MetricsPageTests {
    @Test func `samples with the same labels are merged`() {
        var page = MetricsPage()
        let labels = [("database", "a")]
        page.add("documents", .gauge, "Documents.", [(labels, 1), (labels, 2)])
        page.add("free_bytes", .gauge, "Space.", [(labels, 3), (labels, 2)], joining: min)
        page.add("nothing", .counter, "Nothing.", [])
        #expect(
            page.text == """
                # HELP divan_documents Documents.
                # TYPE divan_documents gauge
                divan_documents{database="a"} 3
                # HELP divan_free_bytes Space.
                # TYPE divan_free_bytes gauge
                divan_free_bytes{database="a"} 2

                """
        )
    }

    @Test func `label values are escaped`() {
        var page = MetricsPage()
        page.add("documents", .counter, "Documents.", [([("database", "a\"b\\c\nd")], 0.5)])
        #expect(page.text.hasSuffix("\n" + #"divan_documents{database="a\"b\\c\nd"} 0.5"# + "\n"))
    }

    @Test func `the buckets of a histogram are cumulative`() {
        var page = MetricsPage()
        page.add(
            "seconds",
            "Durations.",
            [.init(labels: [("route", "/")], bounds: [0.5, 1], counts: [2, 1, 3], sum: 9.25)]
        )
        #expect(
            page.text == """
                # HELP divan_seconds Durations.
                # TYPE divan_seconds histogram
                divan_seconds_bucket{route="/",le="0.5"} 2
                divan_seconds_bucket{route="/",le="1"} 3
                divan_seconds_bucket{route="/",le="+Inf"} 6
                divan_seconds_sum{route="/"} 9.25
                divan_seconds_count{route="/"} 6

                """
        )
    }
}
