import DivanTestKit
import Testing

extension Program.Outcome {
    /// Checks that a command failed with an exit code and one error line; it, or its hint, contains the words.
    func expectFailure(
        _ status: Int32,
        _ words: String...,
        location: SourceLocation = #_sourceLocation
    ) {
        #expect(self.status == status, "\(errors)", sourceLocation: location)
        let own = complaints.filter {
            $0.hasPrefix("divan: ") && !$0.hasPrefix("divan: warning: ")
        }
        #expect(own.count == 1, "\(errors)", sourceLocation: location)
        let told = own + complaints.filter { $0.hasPrefix("hint: ") }
        for word in words {
            #expect(
                told.contains { $0.contains(word) },
                "\(word): \(errors)",
                sourceLocation: location
            )
        }
    }

    /// Checks that a command succeeded.
    func expectSuccess(location: SourceLocation = #_sourceLocation) {
        #expect(status == 0, "\(errors)", sourceLocation: location)
    }
}
