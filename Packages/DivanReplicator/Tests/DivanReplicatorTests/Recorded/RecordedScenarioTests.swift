import Testing

/// Recordings of version vectors in depth and of upgraded databases, repeated with Divan databases in every part.
@Suite struct RecordedScenarioTests {
    static let names = [
        "vv-checkpoint", "vv-conflict-resolved", "vv-conflict-unresolved", "vv-deleted-again",
        "vv-delta", "vv-four-sources", "vv-legacy-pulled", "vv-redundant-merge",
        "vv-upgrade-both", "vv-upgrade-conflict", "vv-upgrade-conflict-deleted",
        "vv-upgrade-conflict-mixed", "vv-upgrade-conflict-trees", "vv-upgrade-continuous",
        "vv-upgrade-delta", "vv-upgrade-one-side", "vv-upgrade-only-passive",
        "vv-upgrade-other-way", "vv-upgrade-pull", "vv-upgrade-push", "vv-upgrade-same-id",
        "vv-upgrade-third-conflict", "vv-upgrade-third-peer", "vv-upgrade-two-devices",
        "vv-upgrade-blobs", "vv-upgrade-collection", "vv-copied-database", "vv-malformed",
    ]

    @Test(arguments: names)
    func `a recorded scenario matches Couchbase Lite except for the listed differences`(
        name: String
    ) throws {
        let scenario = try RecordedScenario(name)
        try scenario.play()
        let named = ScenarioDifference.all[name] ?? []
        for difference in scenario.differences {
            #expect(named.contains { difference.contains($0.text) }, "\(name) | \(difference)")
        }
        for expected in named {
            let isThere = scenario.differences.contains { $0.contains(expected.text) }
            #expect(isThere, "\(name) | this is not so any more: \(expected.text)")
        }
    }
}
