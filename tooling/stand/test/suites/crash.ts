import { checkLedger } from '@payments/ledger'
import type { Domain, Runtime } from '@payments/platform'
import { describe, expect, test } from 'vitest'
import { type Merchant, newMerchant } from '../../src/index.ts'
import { journal } from '../samples/ledger.ts'
import { advance } from '../samples/payment-routes.ts'
import { killedAt, unansweredAt } from '../service/dying.ts'
import type { TestService } from '../service/service.ts'

/** The way of an object from its creation to its end, by the tasks of its domain. */
export interface Journey {
  /** Creates the object, and what else has to happen for it to end. Returns its id. */
  create(runtime: Runtime, merchant: Merchant): Promise<string>
  /** Its states, each of which it enters once. */
  readonly states: readonly string[]
  /** The balances of its organisation's journal in the end. */
  readonly journal: Readonly<Record<string, string>>
}

/** Longer than any claim of a process that has died lasts, and than the sandbox takes for a step. */
const STEP_SECONDS = 60
const MOST_STEPS = 20
/** What comes late is repeated after the end, and changes nothing. */
const STEPS_AFTER = 2

/**
 * A process that creates and polls objects of a domain is killed before each of its commits, writes and calls of a provider, and the
 * answer to each call is lost. Whatever happens, another process brings the object to its end: each state is announced once, its
 * money is posted once, and the ledger agrees.
 * @param checkProvider fails where the provider was asked for anything else than that, once
 */
export function crashContract(
  service: TestService,
  { name, work }: Domain,
  journeys: Readonly<Record<string, Journey>>,
  checkProvider: () => Promise<unknown>,
): void {
  /** One round of each task, as a worker makes it. */
  const runTasks = async (runtime: Runtime) => {
    // A process has its own slots.
    const own = { ...runtime, trigger: () => undefined }
    for (const task of work?.tasks ?? []) {
      await task.run(own).catch(() => undefined)
      await task.stop?.(own)
    }
  }
  const changesOf = async (organisationId: string) => {
    const { rows } = await service.runtime.pool.query<{ id: string; status: string }>(
      `select resource_id as id, payload->'data'->>'status' as status from events e where organisation_id = $1 order by e.id`,
      [organisationId],
    )
    return rows
  }

  describe(`an object of ${name} ends as it should, once:`, () => {
    test.each(
      Object.entries(journeys).flatMap(([way, journey]) => [
        [way, 'the process is killed', killedAt, journey] as const,
        [way, 'an answer of the provider is lost', unansweredAt, journey] as const,
      ]),
    )('%s, wherever %s', { timeout: 300_000 }, async (_way, _what, faulty, { create, states, journal: balances }) => {
      let point = 0
      for (let failed = true; failed; point++) {
        const process = faulty(service, point)
        const where = `point ${point}`
        const merchant = await newMerchant(service)
        // A request without an answer is repeated, with nothing of it left.
        const id = await create(process.runtime, merchant).catch(async (error: unknown) => {
          if (!process.failed()) throw error
          expect(await changesOf(merchant.organisationId), where).toEqual([])
          return create(service.runtime, merchant)
        })
        let left = MOST_STEPS
        while (left-- > 0) {
          await runTasks(process.failed() ? service.runtime : process.runtime)
          await advance(merchant, STEP_SECONDS)
          const [last] = (await changesOf(merchant.organisationId)).slice(-1)
          if (last?.status === states.at(-1)) left = Math.min(left, STEPS_AFTER)
        }
        failed = process.failed()
        expect(await changesOf(merchant.organisationId), where).toEqual(states.map((status) => ({ id, status })))
        expect(await journal(service, merchant), where).toEqual(balances)
      }
      await checkProvider()
      expect((await checkLedger(service.runtime)).findings).toEqual([])
      expect(point).toBeGreaterThan(faulty === killedAt ? 4 : 2)
    })
  })
}
