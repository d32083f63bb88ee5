// The process of the attackers: its load does not delay the client that measures. Reads one Attacker as JSON, ends with its input.
import { type Attacker, generators } from './generators.ts'

const attacker = JSON.parse(process.argv[2] ?? '{}') as Attacker
const stop = new AbortController()
process.stdin.on('end', () => stop.abort()).resume()
process.stdout.write('started\n')
await Promise.all(Object.values(generators).map((run) => run(attacker, stop.signal)))
process.exit(0)
