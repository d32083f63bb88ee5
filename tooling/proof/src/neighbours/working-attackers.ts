import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Attacker, Target } from './attacks.ts'

/** What the attackers are to do, until they are told to stop. */
export interface Order {
  readonly target: Target
  readonly attacker: Attacker
}

/** A process of attackers. */
export interface Attackers {
  /** What `work` measures while they attack, and how many requests they sent. */
  during<T>(order: Order, work: () => Promise<T>): Promise<{ measured: T; sent: number }>
  close(): void
}

export function startAttackers(): Attackers {
  const child = fork(new URL('./attackers.ts', import.meta.url))
  return {
    async during(order, work) {
      child.send(order)
      await sleep(500)
      try {
        const measured = await work()
        const stopped = once(child, 'message')
        child.send('stop')
        const [{ sent }] = (await stopped) as [{ sent: number }]
        await sleep(1000)
        return { measured, sent }
      } catch (error) {
        child.kill('SIGKILL')
        throw error
      }
    },
    close: () => child.connected && child.disconnect(),
  }
}
