// The process of the organisation that misbehaves: its own work does not delay the clients that measure. Attacks on an Attacker, and
// answers `stop` with the number of requests.
import { type Attacker, attackAll } from './attacks.ts'

let stop = new AbortController()
let attacking = Promise.resolve(0)
process.on('message', (message: Attacker | 'stop') => {
  if (message !== 'stop') {
    stop = new AbortController()
    attacking = attackAll(message, stop.signal)
    return
  }
  stop.abort()
  void attacking.then((sent) => process.send?.({ sent }))
})
process.on('disconnect', () => process.exit(0))
