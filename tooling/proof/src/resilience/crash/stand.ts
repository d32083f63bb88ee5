import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '@payments/kernel'
import type { Random, StandDatabase } from '@payments/stand'
import { type Answer, call, type Data, dataOf, retried } from '@payments/stand'

/** A write that was answered with success. */
interface Acknowledged {
  readonly line: string
  readonly key: string
  readonly reply: Answer
}

/** An organisation that works while processes are killed. */
export interface Member {
  readonly email: string
  readonly organisationId: string
  readonly key: string
  readonly acknowledged: Acknowledged[]
  /** Final status by the id of each object that was followed to its end. */
  readonly ended: Map<string, string>
  /** Repeats a write until it is answered, and returns the `data` of the answer. @throws Error when it is refused */
  command(line: string, body?: object): Promise<Data>
  read(path: string): Promise<Data>
  /** Waits until an object has a final status; a finding if it does not, or has another one. */
  ends(path: string, id: string, status: string, pick?: (data: Data) => Data): Promise<boolean>
}

export interface CrashStand {
  readonly url: () => string
  readonly database: StandDatabase
  readonly random: Random
  readonly findings: string[]
  /** Attempts without a definite reply: by status, 0 where there was no reply. */
  readonly retries: Map<number, number>
  /** Writes that were sent again with their key after they had been acknowledged. */
  repeated: number
  /** Until when an object that is not final is no finding: as long as processes are killed, and for a while afterwards. */
  readonly deadline: () => number
}

/** The share of acknowledged writes that are sent again with the same key. */
const REPEATED = 0.15

export function countRetry(stand: CrashStand, line: string) {
  return (status: number, why: string): void => {
    stand.retries.set(status, (stand.retries.get(status) ?? 0) + 1)
    // A killed database is no internal error: the caller is told to come back.
    if (status === 500) stand.findings.push(`${line}: answered 500 ${why}`)
  }
}

export function member(stand: CrashStand, email: string, organisationId: string, key: string): Member {
  const acknowledged: Acknowledged[] = []
  const ended = new Map<string, string>()
  const read = async (path: string): Promise<Data> => {
    const options = { token: key, deadline: stand.deadline, onRetry: countRetry(stand, path) }
    return dataOf(`GET ${path}`, retried(stand.url, `GET ${path}`, options))
  }
  return {
    email,
    organisationId,
    key,
    acknowledged,
    ended,
    read,
    async command(line, body) {
      const idempotencyKey = newId()
      const { deadline } = stand
      const onRetry = countRetry(stand, line)
      const options = { token: key, key: idempotencyKey, ...(body ? { body } : {}), deadline, onRetry }
      const reply = await retried(stand.url, line, options)
      const data = await dataOf(line, reply)
      acknowledged.push({ line, key: idempotencyKey, reply })
      if (stand.random.chance(REPEATED)) {
        stand.repeated++
        const again = await retried(stand.url, line, options)
        if (again.text !== reply.text || !again.replayed)
          stand.findings.push(`${line} with key ${idempotencyKey}: answered ${reply.text}, and then ${again.text}`)
      }
      return data
    },
    async ends(path, id, status, pick = (data) => data) {
      let found: string | undefined
      for (; Date.now() < stand.deadline(); await sleep(400)) {
        found = pick(await read(path))?.status
        if (found === status) {
          ended.set(id, status)
          return true
        }
      }
      stand.findings.push(
        `${path} (${id}) is ${found ?? 'not there'} and should be ${status}\n${await timeline(stand, key, id)}`,
      )
      return false
    },
  }
}

/** What happened to an object, one line for each entry. */
export async function timeline(stand: CrashStand, key: string, id: string): Promise<string> {
  const line = `GET /v1/timeline/${id}`
  const reply = await call({ url: stand.url() }, line, { token: key }).catch((error: Error) => error.message)
  if (typeof reply === 'string') return `  no timeline: ${reply}`
  const entries: { at: string; kind: string; summary: string }[] = reply.data?.entries ?? []
  return entries.map(({ at, kind, summary }) => `  ${at} ${kind}: ${summary}`).join('\n')
}
