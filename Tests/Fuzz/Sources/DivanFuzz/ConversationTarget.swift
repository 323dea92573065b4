import DivanTestKit

/// A target whose inputs are conversations, and are mutated as such.
protocol ConversationTarget: FuzzTarget {
    /// What a conversation broke; `nil` if everything holds.
    static func violation(of conversation: Conversation) throws -> String?
}

extension ConversationTarget {
    static func violation(of input: [UInt8]) -> String? {
        do {
            return try violation(of: Conversation(input))
        } catch {
            return "\(error)"
        }
    }

    static func mutated(_ input: [UInt8], limit: Int, seed: UInt64) -> [UInt8]? {
        var mutation = ConversationMutation(SeededGenerator(seed: seed))
        return mutation.mutate(input, limit: limit)
    }
}
