import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'

/** How a receiver of the receivers behaves: responds 200, never responds, or always responds 500. */
export type Role = 'well' | 'hang' | 'fail'

/** Deliveries to one receiver since the last reset: for each event, the times of arrival (epoch milliseconds). */
export type Arrivals = ReadonlyMap<string, readonly number[]>

export interface Receivers {
  /** One origin for each role, in order. */
  readonly origins: readonly string[]
  /** Clears the recorded deliveries. */
  reset(): Promise<void>
  /** How many different events each receiver has. */
  progress(): Promise<readonly number[]>
  arrivals(): Promise<readonly Arrivals[]>
  close(): Promise<void>
}

type Answer = { origins: string[] } | { progress: number[] } | { arrivals: [string, number[]][][] } | { done: true }

/** Starts receivers in a process of their own, so that their CPU time is not counted as the sender's. */
export async function startReceivers(roles: readonly Role[]): Promise<Receivers> {
  const child: ChildProcess = fork(new URL('./receivers-process.ts', import.meta.url), roles, {
    serialization: 'advanced',
  })
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
