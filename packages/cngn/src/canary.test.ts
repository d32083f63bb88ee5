import { execFileSync } from 'node:child_process'
import { bind } from '@payments/kernel'
import { providers } from '@payments/platform'
import { expect, test } from 'vitest'
import { connected, newCustomer, newMerchant, tableContents, useService } from '#testing'
import { verify } from '../test/money.ts'
import { identityProvider } from './provider/provider.ts'

const service = useService({ worker: true })
const someBvn = () => `9${String(Math.floor(Math.random() * 1e10)).padStart(10, '0')}`

/** The files below a folder that contain one of these texts. */
function filesWith(folder: string, texts: readonly string[]): string[] {
  try {
    const patterns = texts.flatMap((text) => ['-e', text])
    return execFileSync('grep', ['-rlaF', ...patterns, folder], { encoding: 'utf8' })
      .trim()
      .split('\n')
  } catch (error) {
    // 1: no file has one. 2: a file went away meanwhile; what was found is still told.
    const { status, stdout } = error as { status: number; stdout: string }
    if (status > 2) throw error
    return stdout.trim().split('\n').filter(Boolean)
  }
}

test('a BVN is readable nowhere: no table, log, event, job, error reply or file has it, before the result and after it', async () => {
  const [good, pending, broken, wrong] = [someBvn(), someBvn(), someBvn(), someBvn()]
  const canaries = [good, pending, broken, wrong]
  const merchant = await newMerchant(service)
  const enable = async (bvn: unknown, more: Record<string, unknown> = {}) => {
    const id = await newCustomer(merchant)
    return { id, answer: await merchant.call(`POST /v1/cngn/customers/${id}/enable`, { body: { bvn, ...more } }) }
  }
  const replies: string[] = []

  const enabled = await enable(good)
  replies.push(enabled.answer.text)
  const status = async () => (await merchant.call(`GET /v1/customers/${enabled.id}`)).body.data.cngn.status
  await expect.poll(status, { timeout: 20_000 }).toBe('enabled')

  // One whose register is down: it is kept for the next try, encrypted.
  const { pool } = service.runtime
  await pool.query(
    "insert into sandbox_faults (provider, mode, ends_at) values ('identity', 'down', now() + interval '1 hour')",
  )
  replies.push((await enable(pending)).answer.text)
  await expect.poll(() => service.logs.join('').includes('job failed'), { timeout: 20_000 }).toBe(true)
  // One whose register fails in a way that nobody foresaw.
  const register = { name: 'broken', verifyBvn: async () => Promise.reject(new Error('no answer')) }
  const throwing = { ...service.runtime, providers: providers([bind(identityProvider, 'test', register)]) }
  const failing = await enable(broken)
  replies.push(failing.answer.text)
  await expect(verify(service, failing.id, throwing)).rejects.toThrow('no answer')
  // Requests that are refused.
  for (const bvn of [`${wrong}0`, Number(wrong), [wrong], { number: wrong }])
    replies.push((await enable(bvn)).answer.text)
  replies.push((await enable(wrong, { bvnNumber: wrong })).answer.text)
  replies.push((await enable(wrong, { phoneNumber: wrong, email: wrong })).answer.text)

  const places = new Map([
    ...(await tableContents(service.database)),
    ['logs', service.logs.join('')],
    ['replies', replies.join('\n')],
  ])
  expect(places.get('public.events')).toContain('cngn.customer.enabled')
  expect(places.get('public.cngn_identities')).toContain('v2.')
  const encodings = canaries.flatMap((bvn) => [
    bvn,
    Buffer.from(bvn).toString('hex'),
    ...[0, 1, 2].map((shift) =>
      Buffer.from(`${' '.repeat(shift)}${bvn}`)
        .toString('base64')
        .slice(4, 12),
    ),
  ])
  const found = [...places].filter(([, text]) => encodings.some((encoded) => text.includes(encoded)))
  expect(found.map(([place]) => place)).toEqual([])

  const owner = await connected(service)
  await owner.query('checkpoint')
  const { rows } = await owner.query<{ data_directory: string }>('show data_directory')
  await owner.end()
  // What is stored in clear is found: the search works.
  const { email } = (await merchant.call(`GET /v1/customers/${enabled.id}`)).body.data
  expect(filesWith(rows[0]?.data_directory ?? '', [email])).not.toEqual([])
  for (const folder of [service.dataDir, rows[0]?.data_directory ?? '']) expect(filesWith(folder, canaries)).toEqual([])
})
