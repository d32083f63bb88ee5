import { bind, newId, system } from '@payments/kernel'
import { pauseCalls, providers, queryContext, type Runtime } from '@payments/platform'
import { beforeEach, expect, test } from 'vitest'
import { useService } from '#testing'
import { cngnProvider } from './provider.ts'
import { budgetOf, isFree, type Purpose } from './rate-budget.ts'

const service = useService({ settings: { DATABASE_POOL: '20' } })
beforeEach(() => service.runtime.pool.query("delete from provider_budgets where provider = 'cngn'"))

const limited = (callsPerMinute: number | null): Runtime => ({
  ...service.runtime,
  providers: providers([bind(cngnProvider, 'test', { name: 'cngn', callsPerMinute } as never)]),
})
/** How many calls of so many get one. */
async function taken(tries: number, purpose: Purpose, organisationId = newId()): Promise<number> {
  const context = queryContext(limited(20), system(organisationId, 'test'))
  let count = 0
  for (let each = 0; each < tries; each++)
    await budgetOf(context, 'test', purpose)
      .take()
      .then(
        () => count++,
        (error) => expect(error).toMatchObject({ code: 'cngn_provider_busy', status: 503 }),
      )
  return count
}

test('one organisation cannot use the calls of the others, neither with requests nor with sends', async () => {
  expect(await taken(30, 'request')).toBe(5)
  expect(await taken(30, 'send')).toBe(10)
  // What is left of the share of requests and sends.
  expect(await taken(30, 'request')).toBe(1)
})

test('however many organisations ask and send, a part of the calls is left for the polls on which everything depends', async () => {
  for (let organisations = 0; organisations < 10; organisations++) await taken(5, 'request')
  expect(await isFree(limited(20), 'test', 'send')).toBe(true)
  for (let organisations = 0; organisations < 10; organisations++) await taken(5, 'send')
  expect([await isFree(limited(20), 'test', 'send'), await isFree(limited(20), 'test', 'poll')]).toEqual([false, true])
  expect(await taken(30, 'poll')).toBe(4)
})

test('a provider that refuses calls is not called until its pause has passed; one without a limit always', async () => {
  await budgetOf({ runtime: limited(null) }, 'test').take()
  await budgetOf({ runtime: limited(20) }, 'test').silence(45)
  await expect(budgetOf({ runtime: limited(20) }, 'test', 'poll').take()).rejects.toMatchObject({
    code: 'cngn_provider_busy',
    status: 503,
  })
  await pauseCalls(service.runtime.pool, { provider: 'cngn', bucket: 'calls', environment: 'test', seconds: 1 })
  expect(await isFree(limited(20), 'test', 'poll')).toBe(false)
  expect(await isFree(limited(null), 'test', 'poll')).toBe(true)
})
