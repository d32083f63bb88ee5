import { appRouter } from '@payments/api'
import { type AssetSymbol, assets, newId, system, toDecimal } from '@payments/kernel'
import { checkLedger } from '@payments/ledger'
import { type Endings, type Operation, queryContext, type Runtime, unitOfWork } from '@payments/platform'
import { afterAll, describe, expect, test } from 'vitest'
import { type Answer, call, signedIn } from '../../src/index.ts'
import { dyingEverywhere } from '../service/dying.ts'
import type { TestService } from '../service/service.ts'

/** An object in the state under test. */
export interface Staged {
  readonly id: string
  readonly organisationId: string
  /** Input of the command without its `outcome` and reason. */
  readonly input: Readonly<Record<string, unknown>>
}

/** How a domain's tests bring an object into a state; `outcome`: what it is going to be ended as. */
export type Stage = (outcome: string) => Promise<Staged>

/** What remains with providers, or unexplained, of an organisation's money; a customer's reserve is not the customer's yet. */
const OPEN_ACCOUNTS = ['clearing', 'suspense', 'exchange_pending', 'reserved']

/**
 * Every command that a domain declares in its endings ends what it says, from each state: approved by a second operator, with
 * postings that leave nothing open, a ledger that agrees with the list, and nothing on the list of what needs an operator. The
 * service needs the settings of two operators. `open`: purposes of accounts that stay open after an outcome, and why, by
 * `machine state outcome`.
 */
export function endingsContract(
  service: TestService,
  endings: readonly Endings[],
  stages: Readonly<Record<string, Readonly<Record<string, Stage>>>>,
  open: Readonly<Record<string, readonly string[]>> = {},
): void {
  const operator = (email: string) => signedIn(service.runtime, { role: 'operator', email })
  const post = async (email: string, path: string, body: object) => {
    const { accessToken: token } = await operator(email)
    return call(service, `POST /v1/admin/ops/${path}`, { token, key: null, body })
  }

  /** Requests a command, which a second operator approves. Returns the answer to the approval, or the refusal of the request. */
  async function request(command: string, input: object): Promise<Answer> {
    const requested = await post('operator@example.com', 'approvals', {
      command,
      input,
      reason: 'Confirmed in writing',
    })
    if (requested.status !== 201) return requested
    return post('second@example.com', `approvals/${requested.body.data.id}/approve`, { reason: 'Checked' })
  }

  async function run(command: string, input: object): Promise<void> {
    const { status, text } = await request(command, input)
    expect(status, text).toBe(200)
  }

  /** What a command leaves behind, all of it in one transaction. */
  async function traces(organisationId: string) {
    const { rows } = await service.runtime.pool.query<{ entries: number; events: number; audited: number }>(
      `select (select count(*)::int from ledger_entries where organisation_id = $1) as entries,
              (select count(*)::int from events where organisation_id = $1) as events,
              (select count(*)::int from audit_log where organisation_id = $1) as audited`,
      [organisationId],
    )
    return rows[0]
  }

  /** Runs a command, as if a second operator approved it. */
  async function runOn(runtime: Runtime, command: string, organisationId: string, input: object): Promise<unknown> {
    const procedures = appRouter._def.procedures as unknown as Record<
      string,
      { _def: { meta: { operation: Operation } } }
    >
    const operation = procedures[command]?._def.meta.operation
    if (!operation) throw new Error(`No operator's command is named ${command}`)
    const actor = { ...system(organisationId, 'test'), userId: newId() }
    const parsed = operation.input.parse(input) as never
    return unitOfWork(queryContext(runtime, actor), async (unit) =>
      operation.command?.run(
        { ...unit, requestedBy: newId() },
        parsed,
        undefined as never,
        service.process.callContext(actor),
      ),
    )
  }

  for (const { machine, states } of endings) {
    const cases = Object.entries(states).flatMap(([state, ending]) =>
      typeof ending === 'string'
        ? []
        : ending.outcomes.map((outcome) => ({
            state,
            command: ending.command,
            outcome,
            stage: stages[machine.name]?.[state],
          })),
    )
    if (cases.length === 0) continue
    // The same command writes the same outcome in the same way from each state.
    const outcomes = cases.filter(
      ({ command, outcome }, index) =>
        cases.findIndex((each) => each.command === command && each.outcome === outcome) === index,
    )
    describe(`${machine.name}:`, () => {
      // Of all cases at once: it reads the whole ledger, and its findings name the objects.
      afterAll(async () => expect((await checkLedger(service.runtime)).findings).toEqual([]))

      test.each(outcomes)(
        '$state is ended as $outcome wholly or not at all: a crash before any statement leaves no trace, and the repetition ends it once',
        async ({ command, outcome, stage }) => {
          if (!stage) return
          const { id, organisationId, input } = await stage(outcome)
          const given = { ...input, outcome, reason: 'Confirmed in writing' }
          const before = await traces(organisationId)
          const cuts = await dyingEverywhere(
            service,
            (runtime) => runOn(runtime, command, organisationId, given),
            async (cut) => {
              if (cut !== null) expect(await traces(organisationId), `a crash before statement ${cut}`).toEqual(before)
            },
          )
          expect(cuts).toBe(1)
          expect((await traces(organisationId))?.audited).toBe((before?.audited ?? 0) + 1)
          const { body } = await post('operator@example.com', 'attention', { organisationId })
          expect(body.data.objects.filter((each: { id: string }) => each.id === id)).toEqual([])
        },
      )

      test.each(cases)(
        '$state is ended as $outcome by $command with correct postings',
        async ({ state, command, outcome, stage }) => {
          if (!stage) throw new Error(`No stage brings a ${machine.name} into ${state}`)
          const { id, organisationId, input } = await stage(outcome)
          await run(command, { ...input, outcome })
          const { rows } = await service.runtime.pool.query<{ purpose: string; asset: string; balance: string }>(
            'select purpose, asset, balance::text from ledger_accounts where organisation_id = $1 and balance <> 0 and purpose = any ($2)',
            [
              organisationId,
              OPEN_ACCOUNTS.filter((each) => !open[`${machine.name} ${state} ${outcome}`]?.includes(each)),
            ],
          )
          expect(rows).toEqual([])
          const { body } = await post('operator@example.com', 'attention', { organisationId })
          expect(body.data.objects.filter((each: { id: string }) => each.id === id)).toEqual([])
        },
      )

      test.each(cases)(
        '$state, whose money an entry has moved out of suspense, is not ended as $outcome by taking it out again',
        async ({ command, outcome, stage }) => {
          if (!stage) return
          const { organisationId, input } = await stage(outcome)
          const suspense = async () =>
            (
              await service.runtime.pool.query<{ asset: string; balance: string }>(
                "select asset, balance::text from ledger_accounts where organisation_id = $1 and balance <> 0 and purpose = 'suspense' order by asset",
                [organisationId],
              )
            ).rows
          const held = await suspense()
          // Nothing can be taken twice: the case is the one above.
          if (held.length === 0) return
          for (const { asset, balance } of held) {
            const amount = toDecimal(BigInt(balance), assets[asset as AssetSymbol])
            const moved = { organisationId, environment: 'test', asset, amount, to: 'fees', reason: 'It is ours' }
            await run('admin.ledger.resolveSuspense', moved)
          }
          expect(await suspense()).toEqual([])
          const { status, text } = await request(command, { ...input, outcome })
          expect([200, 409], text).toContain(status)
          expect((await suspense()).filter(({ balance }) => balance.startsWith('-'))).toEqual([])
        },
      )
    })
  }
}
