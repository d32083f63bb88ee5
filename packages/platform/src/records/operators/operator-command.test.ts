import { type Actor, assets, errors, newId, system } from '@payments/kernel'
import { expect, test, vi } from 'vitest'
import { z } from 'zod'
import type { Effect, UnitOfWork } from '../../operations/context/context.ts'
import type { CallContext, Operation } from '../../operations/operations.ts'
import { loadSettings } from '../../settings/settings.ts'
import { type Audited, operatorCommand, Reason } from './operator-command.ts'
import { requireSecondOperator } from './second-operator.ts'

const operationOf = (command: object): Operation =>
  (command as { _def: { meta: { operation: Operation } } })._def.meta.operation

const described = {
  ...({ rest: 'POST /admin/ops/things', tag: 'Things', summary: 'Change a thing', message: 'Changed' } as const),
  ...{ input: z.strictObject({ id: z.string() }), output: z.object({ status: z.string() }) },
}
const input = { id: 'one', reason: 'To see' }

const SECRETS_KEY = `1:${Buffer.alloc(32).toString('base64')}`

/** A unit of work that keeps the rows that it is given, in a service in which no session is confirmed. */
function unitFor(more: Partial<UnitOfWork> = {}) {
  const rows: unknown[] = []
  const requireConfirmed = async () => {
    throw errors.confirmation_required()
  }
  const actor: Actor = { ...system(newId(), 'test'), kind: 'session', userId: newId(), email: 'grace@example.com' }
  const unit = {
    actor,
    runtime: {
      domains: [{ name: 'things' }, { name: 'accounts', api: { authentication: { requireConfirmed } } }],
      settings: loadSettings({ NODE_ENV: 'test', OPERATOR_LIMITS: 'USDC:1000', SECRETS_KEY }, []),
    },
    insert: (_entity: unknown, row: unknown) => void rows.push(row),
    // Nothing has been moved today.
    em: {
      getKysely: () => ({
        executeQuery: async ({ parameters: [, , amount] }: { parameters: unknown[] }) => ({ rows: [{ amount }] }),
      }),
    },
    ...more,
  } as unknown as UnitOfWork
  const run = (command: object, prepared?: unknown) =>
    operationOf(command).command?.run(unit, input as never, prepared as never, {} as CallContext)
  return { unit, rows, run }
}

const done: Audited<{ status: string }> = { reply: { status: 'changed' } }

test('a command answers with its reply, and its entry of the audit log says who did what to what, why, and what it changed', async () => {
  const { unit, rows, run } = unitFor()
  const organisationId = newId()
  const subject = { id: newId(), organisationId, environment: 'live' } as const
  const before = { status: 'old' }
  const command = operatorCommand({ ...described, run: async () => ({ ...done, subject, before }) })
  expect(await run(command)).toEqual({ status: 'changed' })
  expect(rows).toEqual([
    expect.objectContaining({
      ...{ userId: unit.actor.userId, email: 'grace@example.com', requestedBy: null },
      ...{ operation: 'POST /admin/ops/things', summary: 'Change a thing', reason: 'To see' },
      ...{ organisationId, environment: 'live', resourceId: subject.id },
      ...{ input: { id: 'one' }, before, after: { status: 'changed' } },
    }),
  ])
})

test('a command that fails writes nothing to the audit log', async () => {
  const { rows, run } = unitFor()
  const command = operatorCommand({
    ...described,
    run: async () => {
      throw errors.busy()
    },
  })
  await expect(run(command)).rejects.toMatchObject({ code: 'busy' })
  expect(rows).toEqual([])
})

test('a reason is required, unless version 1.0.0 had none: one to 500 characters that are not all spaces', () => {
  const of = (command: object) => operationOf(command).input
  const run = async () => done
  expect(of(operatorCommand({ ...described, run })).safeParse({ id: 'one' }).success).toBe(false)
  expect(of(operatorCommand({ ...described, run, reason: 'required' })).safeParse({ id: 'one' }).success).toBe(false)
  expect(of(operatorCommand({ ...described, run, reason: 'optional' })).safeParse({ id: 'one' }).success).toBe(true)
  expect(Reason.parse(` ${'x'.repeat(500)} `)).toBe('x'.repeat(500))
  for (const refused of ['  ', 'x'.repeat(501)]) expect(Reason.safeParse(refused).success).toBe(false)
})

test('a command on money needs a confirmed session, except in a dry run and when it is approved', async () => {
  const run = vi.fn(async () => done)
  const money = operatorCommand({ ...described, money: true, run })
  const plain = operatorCommand({ ...described, run })
  await expect(unitFor().run(money)).rejects.toMatchObject({ code: 'confirmation_required', status: 403 })
  expect(run).not.toHaveBeenCalled()
  const { domains, ...runtime } = unitFor().unit.runtime
  const withoutAuthentication = { runtime: { ...runtime, domains: domains.slice(0, 1) } as UnitOfWork['runtime'] }
  expect(await unitFor().run(plain)).toEqual(done.reply)
  for (const allowed of [{ effects: [] }, { requestedBy: newId() }, withoutAuthentication])
    expect(await unitFor(allowed).run(money)).toEqual(done.reply)
})

test('what a command is to dry runs and approvals follows from its definition', async () => {
  const run = async (_unit: UnitOfWork, _input: object, prepared: unknown) => ({ reply: { status: String(prepared) } })
  const before = async () => 'asked'
  const of = (command: object) => operationOf(command).operatorCommand
  const asking = operatorCommand({ ...described, before, run })
  expect(of(operatorCommand({ ...described, run }))).toEqual({ money: false, dryRun: true })
  expect(of(operatorCommand({ ...described, money: true, run }))).toEqual({ money: true, dryRun: true })
  expect(of(asking)).toEqual({ money: false, dryRun: false })
  expect(of(operatorCommand({ ...described, before, beforeOnlyReads: true, run }))).toEqual({
    money: false,
    dryRun: true,
  })
  expect(operationOf(asking).command?.before).toBe(before)
  expect(operationOf(operatorCommand({ ...described, run })).command).not.toHaveProperty('before')
  expect(await unitFor().run(asking, 'asked')).toEqual({ status: 'asked' })
  expect(operationOf(asking).meta).toMatchObject({ access: 'operator', message: 'Changed' })
  expect(() => operatorCommand({ ...described, money: true, before, run })).toThrow(
    'POST /admin/ops/things: a money command has no step before it',
  )
})

test('above its limit an amount needs a second operator, in either direction; an asset without a limit always does', async () => {
  const refusal = async (asset: 'USDC' | 'EURC', amount: bigint, more?: Partial<UnitOfWork>) => {
    try {
      return await requireSecondOperator(unitFor(more).unit, assets[asset], amount)
    } catch (error) {
      return (error as { code: string }).code
    }
  }
  for (const sign of [1n, -1n]) {
    expect(await refusal('USDC', sign * 1_000_000_000n)).toBeUndefined()
    expect(await refusal('USDC', sign * 1_000_000_001n)).toBe('second_operator_required')
    expect(await refusal('USDC', sign * 1_000_000_001n, { requestedBy: newId() })).toBeUndefined()
  }
  expect([await refusal('EURC', 0n), await refusal('EURC', 1n)]).toEqual([undefined, 'second_operator_required'])
  const effects: Effect[] = []
  expect(await refusal('USDC', -1_000_000_001n, { effects })).toBeUndefined()
  expect(await refusal('USDC', 1n, { effects })).toBeUndefined()
  expect(effects).toEqual([
    {
      kind: 'approval',
      resourceId: null,
      summary: 'A second operator must approve 1000.000001 USDC: the limit of a day is 1000, 0 is used',
    },
  ])
})
