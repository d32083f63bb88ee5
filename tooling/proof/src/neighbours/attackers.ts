// The process of those who misbehave: its own work does not delay the clients that measure. Attacks as it is told to, and answers
// `stop` with the number of requests.
import { runAttacks } from './attacks.ts'
import type { Order } from './working-attackers.ts'

let stop = new AbortController()
let attacking = Promise.resolve(0)
process.on('message', (message: Order | 'stop') => {
  if (message !== 'stop') {
    stop = new AbortController()
    attacking = runAttacks(message.target, message.attacker, stop.signal)
    return
  }
  stop.abort()
  void attacking.then((sent) => process.send?.({ sent }))
})
process.on('disconnect', () => process.exit(0))
