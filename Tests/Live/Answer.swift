/// The rows that an inquiry must have now, updated from commit to commit.
struct Answer {
    private(set) var inquiry: Inquiry
    private(set) var rows: [String] = []
    private var chairs: [String: Chair] = [:]

    init(_ inquiry: Inquiry, _ shop: ModeledDatabase) {
        self.inquiry = inquiry
        ask(inquiry, shop)
    }

    /// Asks again, with other parameters.
    mutating func ask(_ inquiry: Inquiry, _ shop: ModeledDatabase) {
        self.inquiry = inquiry
        chairs = shop.chairs.filter { inquiry.isMet($0.value) }
        rows = inquiry.rows(Array(chairs.values), shop.makers)
    }

    /// Records a commit; whether it can matter to the query by the rule in the guide:
    /// by its collections, and by the condition if that alone decides.
    mutating func note(_ changes: [Change], _ makers: [Int: String]) -> Bool {
        var isTouched = false
        var isInCollection = false
        for change in changes {
            switch change {
            case .maker:
                isTouched = isTouched || inquiry.readsMakers
                isInCollection = isInCollection || inquiry.readsMakers
            case .chair(let old, let new):
                isInCollection = true
                let wasMet = old.map(inquiry.isMet) ?? false
                let isMet = new.map(inquiry.isMet) ?? false
                guard wasMet || isMet, let id = (new ?? old)?.id else { continue }
                chairs[id] = isMet ? new : nil
                isTouched = true
            }
        }
        if isTouched { rows = inquiry.rows(Array(chairs.values), makers) }
        return inquiry.isJudgedByCondition ? isTouched : isInCollection
    }
}
