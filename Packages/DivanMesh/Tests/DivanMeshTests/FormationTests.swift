import DivanMesh
import DivanTestKit
import Testing

/// A mesh forms itself, from any number of peers.
@Suite struct FormationTests {
    @Test(arguments: [2, 3, 5, 10, 20, 50, 100])
    func `peers that start at once form a connected mesh with few links`(count: Int) throws {
        for seed in UInt64(0)..<3 {
            let mesh = SimulatedMesh(seed: seed)
            try mesh.join(count)
            let time = mesh.run(atMost: .seconds(30)) { mesh.graph.isConnected }
            mesh.run(for: .seconds(60))
            let graph = mesh.graph
            print("n \(count) seed \(seed): connected after \(String(describing: time)), links \(graph.linkCount), max \(graph.largestDegree), mean \(graph.meanDegree), diameter \(String(describing: graph.diameter)) opened \(mesh.openedCount) calls \(mesh.callCount) messages \(mesh.messageCount)")
            mesh.run(for: .seconds(60))
            print("   later: same \(graph == mesh.graph), opened \(mesh.openedCount), messages \(mesh.messageCount)")
        }
    }
}
