import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'

/** How a receiver of the fleet behaves: answers 200, never answers, or always answers 500. */
export type Role = 'well' | 'hang' | 'fail'

/** What one receiver got since the last reset: for each event, when it came (epoch milliseconds), each time. */
export type Arrivals = ReadonlyMap<string, readonly number[]>

export interface Fleet {
  /** One origin for each role, in order. */
  readonly origins: readonly string[]
  /** Forgets what came so far. */
  reset(): Promise<void>
  /** How many different events each receiver has. */
  progress(): Promise<readonly number[]>
  arrivals(): Promise<readonly Arrivals[]>
  close(): Promise<void>
}

type Answer = { origins: string[] } | { progress: number[] } | { arrivals: [string, number[]][][] } | { done: true }

/** Starts receivers in a process of their own, so that their work is not taken for the sender's. */
export async function startFleet(roles: readonly Role[]): Promise<Fleet> {
  const child: ChildProcess = fork(new URL('receivers.ts', import.meta.url), roles, { serialization: 'advanced' })
  const ask = async <K extends string>(question: string): Promise<Extract<Answer, Record<K, unknown>>> => {
    const answer = once(child, 'message')
    child.send(question)
    return (await answer)[0] as Extract<Answer, Record<K, unknown>>
  }
  const { origins } = (await once(child, 'message'))[0] as { origins: string[] }
  return {
    origins,
    reset: async () => void (await ask('reset')),
    progress: async () => (await ask<'progress'>('progress')).progress,
    arrivals: async () => (await ask<'arrivals'>('arrivals')).arrivals.map((each) => new Map(each)),
    async close() {
      const gone = once(child, 'exit')
      child.disconnect()
      await gone
    },
  }
}
