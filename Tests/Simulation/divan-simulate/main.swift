import DivanFleet
import DivanPlatform
import Foundation

// divan-simulate [--seeds N] [--first SEED] [--seed SEED] [--bug NAME | --bugs] [--peers N] …
// Fails with the seed to repeat and the shortest run that still fails.

guard let command = Command(CommandLine.arguments.dropFirst()) else {
    print(Command.usage)
    CurrentProcess.exit(64)
}
CurrentProcess.exit(command.run() ? 0 : 1)
