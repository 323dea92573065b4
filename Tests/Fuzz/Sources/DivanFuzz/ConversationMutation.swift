/// Changes a conversation so that it stays valid: acts, properties, and values of JSON bodies.
///
/// What a byte mutator finds once in an hour is listed here: the numbers at the ends of each
/// range, texts of the wrong kind, answers to the wrong request.
struct ConversationMutation<Generator: RandomNumberGenerator> {
    private var generator: Generator

    init(_ generator: Generator) {
        self.generator = generator
    }

    /// A changed input of at most `limit` bytes.
    mutating func mutate(_ input: [UInt8], limit: Int) -> [UInt8] {
        var conversation = Conversation(input)
        for _ in 0..<Int.random(in: 1...3, using: &generator) { change(&conversation) }
        return Array(conversation.bytes.prefix(limit))
    }

    private mutating func change(_ conversation: inout Conversation) {
        guard let place = conversation.acts.indices.randomElement(using: &generator) else {
            conversation.acts.append(makeAct())
            return
        }
        switch Int.random(in: 0..<20, using: &generator) {
        case 0: conversation.options = UInt8.random(in: 0...255, using: &generator)
        case 1: conversation.acts.remove(at: place)
        case 2: conversation.acts.insert(conversation.acts[place], at: place)
        case 3: conversation.acts.insert(makeAct(), at: place)
        case 4:
            let other = Int.random(in: conversation.acts.indices, using: &generator)
            conversation.acts.swapAt(place, other)
        case 5: conversation.acts[place].kind = element(Conversation.Kind.allCases)
        case 6:
            let manner = UInt8.random(in: 0...255, using: &generator)
            conversation.acts[place].manner = Conversation.Manner(rawValue: manner)
                .intersection(.all)
        case 7: refuse(&conversation.acts[place])
        case 8: close(&conversation.acts[place])
        case 9..<12: answerAtEnd(&conversation)
        case 12..<15: changeProperty(&conversation.acts[place])
        default: changeBody(&conversation.acts[place].body)
        }
    }

    private mutating func element<Element>(_ list: [Element]) -> Element {
        list[Int.random(in: list.indices, using: &generator)]
    }

    // MARK: Acts

    private mutating func makeAct() -> Conversation.Act {
        let (profile, properties, body) = element(MutationWords.messages)
        if Bool.random(using: &generator) {
            return .ask(profile, properties, body)
        }
        return .answer(profile, element(MutationWords.bodies), [])
    }

    /// Gives a request the expected answer, with one number changed, after everything else.
    private mutating func answerAtEnd(_ conversation: inout Conversation) {
        let (profile, body) = element(MutationWords.answers)
        var act = Conversation.Act.answer(profile, body)
        let tokens = JSONTokens(act.body)
        let numbers = tokens.ranges.filter { tokens.isNumber($0, in: act.body) }
        if !numbers.isEmpty {
            act.body.replaceSubrange(element(numbers), with: Array(number().utf8))
        }
        conversation.acts.append(act)
    }

    private mutating func refuse(_ act: inout Conversation.Act) {
        act.kind = .refuses
        act.properties.removeAll { ["Error-Domain", "Error-Code"].contains($0.name) }
        act.properties.append(.init(name: "Error-Domain", value: element(MutationWords.domains)))
        act.properties.append(.init(name: "Error-Code", value: number()))
    }

    private mutating func close(_ act: inout Conversation.Act) {
        let codes = ["1000", "1001", "1002", "1009", "1011", "3000", "4001", "4002", "4999"]
        act = Conversation.Act(
            kind: .closes,
            properties: [.init(name: "code", value: element(codes))]
        )
    }

    private mutating func changeProperty(_ act: inout Conversation.Act) {
        let name = element(MutationWords.names)
        guard let place = act.properties.indices.randomElement(using: &generator) else {
            act.properties.append(.init(name: name, value: value()))
            return
        }
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: act.properties.append(.init(name: name, value: value()))
        case 1: act.properties.insert(act.properties[place], at: 0)
        case 2: act.properties.remove(at: place)
        case 3: act.properties[place].name = name
        default: act.properties[place].value = value()
        }
    }

    private mutating func value() -> String {
        Bool.random(using: &generator) ? number() : element(MutationWords.texts)
    }

    /// The replacement of a number: every other time one at the end of a range.
    private mutating func number() -> String {
        element(Bool.random(using: &generator) ? MutationWords.numbers : MutationWords.ends)
    }

    // MARK: Bodies

    private mutating func changeBody(_ body: inout [UInt8]) {
        let tokens = JSONTokens(body)
        guard let token = tokens.ranges.randomElement(using: &generator),
            Int.random(in: 0..<8, using: &generator) > 0
        else {
            changeBytes(&body)
            return
        }
        let number = Array(self.number().utf8)
        let text = Array("\"\(element(MutationWords.texts))\"".utf8)
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: body.removeSubrange(token)
        case 1: body.insert(contentsOf: body[token] + [UInt8(ascii: ",")], at: token.lowerBound)
        case 2:
            let count = element([3, 40, 300])
            let copy = Array(body[token] + [UInt8(ascii: ",")])
            for _ in 0..<count where body.count < 60_000 {
                body.insert(contentsOf: copy, at: token.lowerBound)
            }
        case 3: body.replaceSubrange(token, with: Array(element(MutationWords.bodies).utf8))
        case 4: body.replaceSubrange(token, with: text)
        default: body.replaceSubrange(token, with: tokens.isText(token, in: body) ? text : number)
        }
    }

    private mutating func changeBytes(_ body: inout [UInt8]) {
        guard !body.isEmpty, Bool.random(using: &generator) else {
            body = Array(element(MutationWords.bodies).utf8)
            return
        }
        let place = Int.random(in: body.indices, using: &generator)
        body[place] = UInt8.random(in: 0...254, using: &generator)
    }
}

/// The values of a text that is JSON, or nearly: numbers, texts and words, and whole brackets.
private struct JSONTokens {
    private(set) var ranges: [Range<Int>] = []

    init(_ text: [UInt8]) {
        var open: [Int] = []
        var offset = 0
        while offset < text.count, ranges.count < 2_000 {
            let start = offset
            offset += 1
            switch text[start] {
            case UInt8(ascii: "["), UInt8(ascii: "{"): open.append(start)
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                if let begin = open.popLast() { ranges.append(begin..<offset) }
            case UInt8(ascii: "\""):
                while offset < text.count, text[offset] != UInt8(ascii: "\"") {
                    offset += text[offset] == UInt8(ascii: "\\") ? 2 : 1
                }
                offset = min(offset + 1, text.count)
                ranges.append(start..<offset)
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
                UInt8(ascii: "a")...UInt8(ascii: "z"):
                while offset < text.count, Self.goesOn(text[offset]) { offset += 1 }
                ranges.append(start..<offset)
            default: break
            }
        }
    }

    private static func goesOn(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "E"):
            true
        default: false
        }
    }

    func isNumber(_ token: Range<Int>, in text: [UInt8]) -> Bool {
        let first = text[token.lowerBound]
        return first == UInt8(ascii: "-") || UInt8(ascii: "0")...UInt8(ascii: "9") ~= first
    }

    func isText(_ token: Range<Int>, in text: [UInt8]) -> Bool {
        text[token.lowerBound] == UInt8(ascii: "\"")
    }
}
