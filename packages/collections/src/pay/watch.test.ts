import type { Runtime } from '@payments/platform'
import { expect, test } from 'vitest'
import { newCollection, newMerchant, useService } from '#testing'
import { PageWatch } from './watch.ts'

const service = useService()

test('a change while a page is read for the first time is shown', async () => {
  const merchant = await newMerchant(service)
  const { id } = await newCollection(merchant)
  const { pool } = service.runtime
  let changed = false
  const query = async (text: string, values: unknown[]) => {
    if (!changed) {
      changed = true
      await merchant.call(`PATCH /v1/collections/${id}`, { body: { title: 'Changed meanwhile' } })
    }
    return pool.query(text, values)
  }
  const watch = new PageWatch({ ...service.runtime, pool: { query } } as unknown as Runtime)
  await watch.enter(id)
  await expect.poll(() => watch.current(id)?.text).toContain('Changed meanwhile')
  watch.leave(id)
})

test('a page whose merchant was suspended is no longer shown to those who watch it', async () => {
  const merchant = await newMerchant(service)
  const { id } = await newCollection(merchant)
  const watch = new PageWatch(service.runtime)
  await watch.enter(id)
  await service.runtime.pool.query('update organisations set suspended_at = now() where id = $1', [
    merchant.organisationId,
  ])
  await expect.poll(() => watch.current(id)?.text).toBeUndefined()
  watch.leave(id)
})
