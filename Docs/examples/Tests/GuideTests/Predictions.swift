import CouchbaseLiteSwift

struct ReviewModel: PredictiveModel {
    func predict(input: DictionaryObject) -> DictionaryObject? {
        guard let text = input.string(forKey: "text") else { return nil }
        let mood = text.contains("love") ? "happy" : "neutral"
        return MutableDictionaryObject(data: ["mood": mood, "length": text.count])
    }
}

func registerReviewModel() {
    Database.prediction.registerModel(ReviewModel(), withName: "review")
}
