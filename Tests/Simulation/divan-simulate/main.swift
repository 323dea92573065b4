import DivanFleet
import Foundation

// divan-simulate [--seeds N] [--first SEED] [--seed SEED] [--bug NAME | --bugs] [--peers N] …
// Fails with the seed to repeat and the shortest run that still fails.

guard let command = Command(CommandLine.arguments.dropFirst()) else {
    print(Command.usage)
    exit(64)
}
exit(command.run() ? 0 : 1)
