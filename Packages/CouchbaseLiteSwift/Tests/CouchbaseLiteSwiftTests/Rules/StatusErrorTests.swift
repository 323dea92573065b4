import DivanReplicator
import Foundation
import Testing

// The engine's statuses become the public ones inside the module.
@testable import CouchbaseLiteSwift

/// `behaviour.md` §6.7.
@Suite struct StatusErrorTests {
    @Test(arguments: [SyncStatus.Activity.stopped, .offline, .connecting, .idle, .busy])
    func `a status includes its error only when the replicator is stopped or offline`(
        activity: SyncStatus.Activity
    ) {
        var status = SyncStatus(activity)
        status.error = SyncError(.http(HTTPStatus(rawValue: 500)), "the checkpoint is not saved")
        let told = Replicator.Status(status)
        let hasEnded = activity == .stopped || activity == .offline
        #expect((told.error != nil) == hasEnded)
        #expect((told.obstacle as NSError?)?.code == 10_500)
    }
}
