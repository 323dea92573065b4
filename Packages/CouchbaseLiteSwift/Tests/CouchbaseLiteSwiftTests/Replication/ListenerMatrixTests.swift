import CouchbaseLiteSwift
import Foundation
import Testing

/// Every combination of listener identity, client trust, authenticator and credentials, over sockets.
///
/// Source: `behaviour.md` §12, §13.
@Suite(.timeLimit(.minutes(5))) struct ListenerMatrixTests {
    @Test(arguments: ListenerMatrix.Cell.all)
    func `each combination has its expected result`(_ cell: ListenerMatrix.Cell) async throws {
        let stage = try MatrixStage.shared.get()
        let listener: URLEndpointListener
        do {
            listener = try stage.listen(cell)
        } catch let error as NSError {
            #expect(error.code == cell.code(.right), "\(error)")
            return
        }
        defer { listener.stop() }
        for key in ListenerMatrix.Key.allCases {
            let replicator = Replicator(config: try stage.client(of: listener, cell, key))
            #expect(await replicator.finalCode() == cell.code(key), "\(key)")
            guard cell.code(key) == 0 else { continue }
            #expect(try stage.peers.here.defaultCollection().value("a") == 7)
        }
    }
}
