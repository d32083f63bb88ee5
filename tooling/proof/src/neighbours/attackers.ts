// The process of the organisation that misbehaves: its own work does not delay the clients that measure. Receives an Attacker as
// JSON, attacks on `start`, and answers `stop` with the number of requests.
import { type Attacker, attackAll } from './attacks.ts'

const attacker = JSON.parse(process.argv[2] ?? '{}') as Attacker
let stop = new AbortController()
let attacking = Promise.resolve(0)
process.on('message', (message) => {
  if (message === 'start') {
    stop = new AbortController()
    attacking = attackAll(attacker, stop.signal)
    return
  }
  stop.abort()
  void attacking.then((sent) => process.send?.({ sent }))
})
process.on('disconnect', () => process.exit(0))
