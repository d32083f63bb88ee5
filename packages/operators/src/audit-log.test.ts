import { newId, system } from '@payments/kernel'
import { type Operation, operatorCommand, queryContext, type Runtime, sqlOf, unitOfWork } from '@payments/platform'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { dyingEverywhere, foundOrganisation, newMerchant, newRoute, signedIn, useService } from '#testing'
import { find, operator, ops, TWO_OPERATORS } from '../test/operators.ts'

const service = useService({ settings: TWO_OPERATORS })

const entriesOf = async (by: Awaited<ReturnType<typeof operator>>, filter: object): Promise<{ summary: string }[]> =>
  (await find(service, by, 'audit-log', filter)).entries

test('a command writes one entry: who did what, when, why, and what it changed; a failed one and a refused one write none', async () => {
  const merchant = await newMerchant(service)
  const { id } = await newRoute(merchant)
  const grace = await operator(service)
  const paused = await ops(service, grace, `POST payment-routes/${id}/pause`, { reason: 'Asked for by the merchant' })
  expect(paused.status, paused.text).toBe(200)
  expect((await ops(service, grace, `POST payment-routes/${id}/pause`)).status).toBe(409)
  expect((await ops(service, grace, `POST payment-routes/${id}/resume`, { reason: '' })).status).toBe(422)
  const ofOrganisation = (organisationId: string) => find(service, grace, 'audit-log', { organisationId })
  const log = await ofOrganisation(merchant.organisationId)
  expect(log.total).toBe(1)
  expect(await ofOrganisation(merchant.organisationId.toUpperCase())).toEqual(log)
  const owner = await signedIn(service.runtime, { organisationId: merchant.organisationId, role: 'owner' })
  expect((await ops(service, owner, `POST payment-routes/${id}/resume`)).status).toBe(403)
  expect(await entriesOf(grace, { resourceId: id })).toMatchObject([
    {
      userId: grace.userId,
      operation: 'POST /admin/ops/payment-routes/{paymentRouteId}/pause',
      summary: 'Pause a payment route',
      reason: 'Asked for by the merchant',
      organisationId: merchant.organisationId,
      environment: 'test',
      resourceId: id,
      input: { paymentRouteId: id },
      before: { status: 'active' },
      after: { status: 'paused' },
    },
  ])
})

test('a crash before any statement of a command, its commit included, changes nothing and writes no entry', async () => {
  const organisationId = await foundOrganisation(service.runtime)
  const rename = operatorCommand({
    rest: 'POST /admin/ops/rename',
    tag: 'Test',
    summary: 'Rename an organisation',
    message: 'Renamed',
    input: z.strictObject({ id: z.string() }),
    output: z.object({ name: z.string() }),
    async run(unit, { id }) {
      await sqlOf(unit.em).query("update organisations set name = 'Renamed' where id = $1", [id])
      return { reply: { name: 'Renamed' }, subject: { id, organisationId: id } }
    },
  })
  const { command } = (rename._def.meta as { operation: Operation }).operation
  const actor = { ...system(organisationId, 'test'), userId: newId() }
  const call = service.process.callContext(actor)
  const input = { id: organisationId, reason: 'A crash' } as never
  const run = (runtime: Runtime) =>
    unitOfWork(queryContext(runtime, actor), async (unit) => command?.run(unit, input, undefined as never, call))
  const cuts = await dyingEverywhere(service, run, async (cut) => {
    const { rows } = await service.runtime.pool.query(
      `select name = 'Renamed' as renamed, (select count(*)::int from audit_log where resource_id = o.id) as entries
         from organisations o where id = $1`,
      [organisationId],
    )
    expect(rows).toEqual([{ renamed: cut === null, entries: cut === null ? 1 : 0 }])
  })
  expect(cuts).toBe(1)
})

test('the service’s role can neither change nor delete an entry', async () => {
  const { pool } = service.runtime
  for (const statement of [
    'update audit_log set reason = $1',
    'delete from audit_log where reason = $1',
    'truncate audit_log',
  ])
    await expect(pool.query(statement, statement.includes('$1') ? ['x'] : [])).rejects.toMatchObject({ code: '42501' })
})

test('the merchant’s timeline shows that an operator acted, and neither who nor why; the operators’ shows both', async () => {
  const merchant = await newMerchant(service)
  const { id } = await newRoute(merchant)
  const grace = await operator(service)
  await ops(service, grace, `POST payment-routes/${id}/pause`, { reason: 'Suspicious payers' })
  const action = (entries: { kind: string }[]) => entries.filter(({ kind }) => kind === 'operator_action')
  const own = await merchant.call(`GET /v1/timeline/${id}`)
  expect(action(own.body.data.entries)).toMatchObject([
    { summary: 'By an operator: Pause a payment route', details: {} },
  ])
  expect(own.text).not.toContain('Suspicious')
  const all = await ops(service, grace, `GET timeline/${id}`)
  expect(action(all.body.data.entries)).toMatchObject([
    { details: { reason: 'Suspicious payers', operator: grace.email } },
  ])
})

test('entries are searched by object, organisation, operator, operation and time', async () => {
  const merchant = await newMerchant(service)
  const { id } = await newRoute(merchant)
  const [grace, ada] = [await operator(service), await operator(service, 'second@example.com')]
  await ops(service, grace, `POST payment-routes/${id}/pause`)
  await ops(service, ada, `POST payment-routes/${id}/resume`)
  const found = async (filter: object) => (await entriesOf(ada, filter)).map(({ summary }) => summary)
  const both = ['Resume a payment route', 'Pause a payment route']
  expect(await found({ resourceId: id })).toEqual(both)
  expect(await found({ organisationId: merchant.organisationId })).toEqual(both)
  expect(await found({ resourceId: id, email: grace.email })).toEqual(both.slice(1))
  const operation = 'POST /admin/ops/payment-routes/{paymentRouteId}/resume'
  expect(await found({ resourceId: id, operation })).toEqual(both.slice(0, 1))
  expect(await found({ resourceId: id, before: '2020-01-01T00:00:00.000Z' })).toEqual([])
  expect(await found({ resourceId: newId() })).toEqual([])
})
